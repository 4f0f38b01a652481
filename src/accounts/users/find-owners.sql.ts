import type { Clock } from '../../platform/kit/clock.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { isReclaimableCondition, keepsAddressCondition } from './kept-address.ts'
import type { User } from './user.ts'
import { emailExists, phoneExists } from './user-errors.ts'
import { toRows } from './user-row.ts'

/** The owners of the requested values, by their ids. */
export interface Owners {
  /** Whether there is a user with this id. */
  hasId(userId: string): boolean
  /** Addresses of reclaimable accounts have no owner. */
  ofEmail(email: string | null): string | undefined
  ofPhone(phone: string | null): string | undefined
  ofIdentity(identity: { id: string; provider: string; subject: string }): string | undefined
  /** The owner of the row with the id of an identity, whatever its provider and subject. */
  ofIdentityId(id: string): string | undefined
  /** The number of reclaimable accounts that have an address of this user. */
  reclaimableBy(user: Pick<User, 'id' | 'email' | 'phone'>): number
}

interface OwnerRow {
  /** The kind of value; for an identity, its provider. */
  kind: string
  value: string
  owner: string
  is_reclaimable: boolean
}

type OwnersParameters = { users: string; identityRows: Rows<'identities'>; now: string }

interface Needs {
  sql: Queryable
  clock: Clock
}

// `i.provider <> 'email'` is the predicate of the index of providers and subjects. PostgreSQL does
// not derive it from the same condition on `wanted`.
const find = statement<OwnersParameters, OwnerRow>(
  'find_owners',
  (sql, $) => `
    with given as (
      select * from jsonb_to_recordset(${$.users}::jsonb) as given (id uuid, email text, phone text)
    ), wanted as (
      select * from jsonb_populate_recordset(null::${sql.table('identities')}, ${$.identityRows}::jsonb)
    )
    select 'id' as kind, u.id::text as value, u.id as owner, false as is_reclaimable
      from given join ${sql.table('users')} u on u.id = given.id
    union all select 'email', u.email, u.id, ${isReclaimableCondition('u', $.now)}
      from given join ${sql.table('users')} u on u.email = given.email and not u.is_sso_user
    union all select 'phone', u.phone, u.id, ${isReclaimableCondition('u', $.now)}
      from given join ${sql.table('users')} u on u.phone = given.phone and not u.is_sso_user
    union all select 'identity', i.id::text, i.user_id, false
      from wanted join ${sql.table('identities')} i on i.id = wanted.id
    union all select 'at ' || i.provider, i.subject, i.user_id, false
      from wanted join ${sql.table('identities')} i on i.provider <> 'email'
        and i.provider = wanted.provider and i.subject = wanted.subject
    union all select 'at email', i.subject, i.user_id, false
      from wanted join ${sql.table('identities')} i on i.user_id = wanted.user_id
        and i.provider = wanted.provider and i.subject = wanted.subject
      where wanted.provider = 'email'`,
  { unprepared: 'how best to look for them depends on how many users there are' },
)

/**
 * Finds the users that have the ids, addresses and identities of these accounts, in one statement.
 */
export async function findOwners({ sql, clock }: Needs, users: readonly User[]): Promise<Owners> {
  const rows = await sql.query(find, {
    users: JSON.stringify(users.map(({ id, email, phone }) => ({ id, email, phone }))),
    identityRows: rowsOf(
      'identities',
      ...users.flatMap((user) => toRows(user, null, null).identities),
    ),
    now: clock.now().toISOString(),
  })
  const ownersOf = (those: readonly OwnerRow[]) =>
    new Map(those.map(({ kind, value, owner }) => [keyOf(kind, value), owner]))
  const owners = ownersOf(rows.filter(({ is_reclaimable }) => !is_reclaimable))
  const reclaimable = ownersOf(rows.filter(({ is_reclaimable }) => is_reclaimable))
  const ownerOf = (kind: string, value: string | null) => owners.get(keyOf(kind, value))
  return {
    hasId: (userId) => ownerOf('id', userId) !== undefined,
    ofEmail: (email) => ownerOf('email', email),
    ofPhone: (phone) => ownerOf('phone', phone),
    ofIdentity: ({ id, provider, subject }) =>
      ownerOf(`at ${provider}`, subject) ?? ownerOf('identity', id),
    ofIdentityId: (id) => ownerOf('identity', id),
    reclaimableBy: ({ id, email, phone }) => {
      const found = [keyOf('email', email), keyOf('phone', phone)].map((key) =>
        reclaimable.get(key),
      )
      return new Set(found.filter((owner) => owner !== undefined && owner !== id)).size
    },
  }
}

/** Returns the key of a value. Texts in the database contain no NUL. */
const keyOf = (kind: string, value: string | null): string => `${kind}\0${value}`

/** Which of these addresses another account keeps. */
export interface TakenAddresses {
  email: boolean
  phone: boolean
}

const findTakenAddresses = statement<
  { email: string | null; phone: string | null; now: string },
  TakenAddresses
>(
  'find_taken',
  (sql, $) => `select
    exists (select from ${sql.table('users')} u
      where u.email = ${$.email} and ${keepsAddressCondition('u', 'email', $.now)}) as email,
    exists (select from ${sql.table('users')} u
      where u.phone = ${$.phone} and ${keepsAddressCondition('u', 'phone', $.now)}) as phone`,
)

export async function findTaken(
  { sql, clock }: Needs,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<TakenAddresses> {
  const [row] = await sql.query(findTakenAddresses, {
    email,
    phone,
    now: clock.now().toISOString(),
  })
  return row ?? { email: false, phone: false }
}

const findEmails = statement<{ userId: string; emails: string; now: string }, { email: string }>(
  'find_taken_emails',
  (sql, $) => `
    select u.email from ${sql.table('users')} u
    where u.email = any(array(select jsonb_array_elements_text(${$.emails}::jsonb)))
      and u.id <> ${$.userId} and ${keepsAddressCondition('u', 'email', $.now)}`,
)

/** Returns those of these addresses, in lower case, that another account keeps. */
export async function findTakenEmails(
  { sql, clock }: Needs,
  userId: string,
  emails: readonly string[],
): Promise<string[]> {
  const rows = await sql.query(findEmails, {
    userId,
    emails: JSON.stringify(emails),
    now: clock.now().toISOString(),
  })
  return rows.map(({ email }) => email)
}

interface Addresses {
  email?: string | null | undefined
  phone?: string | null | undefined
}

/**
 * Rejects an address that another user has. The user's own addresses are accepted.
 *
 * @throws AuthError `email_exists`, `phone_exists` (422).
 */
export async function requireFreeAddresses(
  needs: Needs,
  own: Addresses,
  wanted: Addresses,
): Promise<void> {
  const taken = await findTaken(needs, {
    email: wanted.email === own.email ? null : (wanted.email ?? null),
    phone: wanted.phone === own.phone ? null : (wanted.phone ?? null),
  })
  if (taken.email) throw emailExists()
  if (taken.phone) throw phoneExists()
}
