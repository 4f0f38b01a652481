import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { importedSignUpOrigin } from './sign-up-origin.ts'
import type { User } from './user.ts'
import { toRows, toUser, type UserRow, userExpression } from './user-row.ts'

/** The state of a user who may have been imported before. */
export interface ImportedState {
  /** The fingerprint of the last import of the user; null without one. */
  fingerprint: string | null
  isThere: boolean
  /** Whether the user was not changed here since the last run. */
  isUntouched: boolean
}

const unprepared = 'a plan from when the tables were empty would read all of them'

const lock = statement<{ key: string }>(
  'lock_imports',
  (_, $) => `select pg_advisory_xact_lock(hashtextextended(${$.key}, 0))`,
  { unprepared: 'it runs once per batch of an import' },
)

/**
 * Locks imports from other services until the end of the transaction, so that a batch finds the
 * users that another run has stored.
 */
export async function lockImports(sql: Queryable): Promise<void> {
  await sql.query(lock, { key: `latchkey:imports:${sql.table('imported_users')}` })
}

const find = statement<{ userIds: string }, ImportedState & { id: string }>(
  'find_imported',
  (sql, $) => `
    select i.id, i.fingerprint, u.id is not null as "isThere",
      coalesce(u.updated_at = i.updated_at, false) as "isUntouched"
    from ${sql.table('imported_users')} i left join ${sql.table('users')} u on u.id = i.id
    where i.id in (select id::uuid from jsonb_array_elements_text(${$.userIds}::jsonb) as given (id))`,
  { unprepared },
)

/** Returns the state of each of these users, by id. */
export async function findImported(
  sql: Queryable,
  userIds: readonly string[],
): Promise<Map<string, ImportedState>> {
  const rows = await sql.query(find, { userIds: JSON.stringify(userIds) })
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

const countThere = statement<object, { count: number }>(
  'count_imported_users',
  (sql) => `
    select count(*)::int as count
    from ${sql.table('imported_users')} i join ${sql.table('users')} u on u.id = i.id`,
  { unprepared: 'it runs once per import' },
)

/** Returns the number of imported users that exist here. */
export async function countImported(sql: Queryable): Promise<number> {
  const [row] = await sql.query(countThere, {})
  return row?.count ?? 0
}

const findUsers = statement<{ userIds: string }, { user: UserRow }>(
  'find_imported_users',
  (sql, $) => `
    select ${userExpression(sql, 'u')} as user from ${sql.table('users')} u
    where u.id in (select id::uuid from jsonb_array_elements_text(${$.userIds}::jsonb) as given (id))`,
  { unprepared },
)

/** Returns these users as they are stored here, by id. */
export async function findImportedUsers(
  sql: Queryable,
  userIds: readonly string[],
): Promise<Map<string, User>> {
  const rows = await sql.query(findUsers, { userIds: JSON.stringify(userIds) })
  return new Map(rows.map(({ user }) => [user.id, toUser(user)]))
}

/** A range of all ids in their order, and the users that were found in it. */
export interface ImportRange {
  after: string | null
  /** Null for no end. */
  to: string | null
  found: readonly string[]
}

type RangeParameters = { after: string | null; to: string | null; found: string }

const findMissingOnes = (locking: '' | 'for update of u') =>
  statement<RangeParameters, { id: string; isUntouched: boolean }>(
    'find_missing',
    (sql, $) => `
      select i.id, u.updated_at = i.updated_at as "isUntouched"
      from ${sql.table('imported_users')} i join ${sql.table('users')} u on u.id = i.id
      where (${$.after}::uuid is null or i.id > ${$.after}::uuid)
        and (${$.to}::uuid is null or i.id <= ${$.to}::uuid)
        and i.id not in (select id::uuid from jsonb_array_elements_text(${$.found}::jsonb) as given (id))
      order by i.id ${locking}`,
    { unprepared },
  )

const lookForMissing = findMissingOnes('')
const lockMissing = findMissingOnes('for update of u')

/**
 * Returns the users of earlier runs in a range that were not found: they no longer exist at the
 * other service.
 *
 * @param locks whether other requests may not change them before the transaction ends.
 */
export const findMissing = (
  sql: Queryable,
  { after, to, found }: ImportRange,
  { locks }: { locks: boolean },
): Promise<{ id: string; isUntouched: boolean }[]> =>
  sql.query(locks ? lockMissing : lookForMissing, { after, to, found: JSON.stringify(found) })

const deleteRecords = statement<{ userIds: string }>(
  'forget_imported',
  (sql, $) => `
    delete from ${sql.table('imported_users')}
    where id in (select id::uuid from jsonb_array_elements_text(${$.userIds}::jsonb) as given (id))`,
  { unprepared },
)

/** Deletes the records of these imports: users that appear again are new. */
export async function deleteImportRecords(
  sql: Queryable,
  userIds: readonly string[],
): Promise<void> {
  await sql.query(deleteRecords, { userIds: JSON.stringify(userIds) })
}

/** The record of an imported user. */
interface ImportRecord {
  id: string
  fingerprint: string
  /** The user's `updatedAt` after the import. */
  updatedAt: Date
}

const record = statement<{ rows: Rows<'imported_users'> }>(
  'record_imported',
  (sql, $) =>
    `${sql.insertRows('imported_users', $.rows)} ${sql.overwrite('imported_users', 'id')}`,
  { unprepared: 'a plan from when the tables were empty would read all of them' },
)

/** Stores the records of imported users, for the next run. */
export async function recordImported(
  sql: Queryable,
  records: readonly ImportRecord[],
): Promise<void> {
  const rows = records.map(({ id, fingerprint, updatedAt }) => ({
    id,
    fingerprint,
    updated_at: updatedAt.toISOString(),
  }))
  await sql.query(record, { rows: rowsOf('imported_users', ...rows) })
}

/** Returns the rows of users from another service. Each identity is contained once. */
export function rowsOfMoved(users: readonly UserWithPassword[]): {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
} {
  const rows = users.map(({ user, passwordHash }) =>
    toRows(user, passwordHash, importedSignUpOrigin({ user, passwordHash })),
  )
  return {
    userRows: rowsOf('users', ...rows.map(({ row }) => row)),
    identityRows: rowsOf('identities', ...rows.flatMap(({ identities }) => identities)),
  }
}
