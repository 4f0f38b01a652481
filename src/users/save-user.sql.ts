import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'
import { rowsOf } from '../sql/tables.ts'
import { entriesAboutGone } from './delete-giving-way.sql.ts'
import type { StoredUser } from './find-user.sql.ts'
import { givesWayCondition, type Registration } from './registration.ts'
import type { User } from './user.ts'
import { toRows } from './user-row.ts'

/** An account as it is to be, and what comes and goes with the change. */
export interface UserSave {
  /** The account as it was read. */
  before: StoredUser
  after: User
  passwordHash: string | null
  /** As it is to be. Default: as it was. */
  registration?: Registration | null
  /** Whether a user who was deleted, and is kept for the record, is changed as well. */
  includesDeleted?: boolean
  /** A one-time token that this change spends; without it nothing changes. */
  spentTokenId?: string
  /** The session that asks for this change; once it has ended nothing changes. */
  askingSessionId?: string
  /**
   * Makes all other links and codes of the user worthless, those that links ended in among them. Those
   * of a change of address always die with the change that they were sent for.
   */
  voidsTokens?: boolean
  /** Purposes of which no token is left, whatever else is. */
  voidsPurposes?: readonly string[]
  /** Ends the user's sessions: all, or all but one. */
  endsSessions?: { except: string | null } | null
  /** Removes every factor of the user, whoever enrolled it. */
  dropsFactors?: boolean
  /** Rows as `rowsOf` makes them. */
  sessionRows?: Rows<'sessions'>
  tokenRows?: Rows<'one_time_tokens'>
  codeRows?: Rows<'authorization_codes'>
  messageRows?: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
  /** Lets the accounts that hold a new address give way, where they do; without it they keep it. */
  claim?: AddressClaim
}

export interface AddressClaim {
  /** Entries as `rowsOf` makes them, as many as accounts may be gone: see `entriesAboutGone`. */
  auditRows: Rows<'audit_entries'>
  /** Is told which accounts are gone. */
  noteGone(userIds: readonly string[]): void
}

const noRows = '[]'

/**
 * Writes a changed account with everything that belongs to the change, in one statement.
 *
 * The new state was worked out from the one that was read, so it is written only if nobody changed the
 * row in between: each update of a user counts its `version` up.
 *
 * @returns false when the row is another by now, the token is spent or the session has ended; then
 *   nothing changes.
 * @throws AuthError `conflict` when another user has an address that is new.
 */
export async function saveUser(sql: Queryable, save: UserSave): Promise<boolean> {
  const { before, after } = save
  const [saved] = await sql.query<{ gone: string[] }>({
    name: 'save_account',
    text: () => saveText(sql),
    values: [
      before.user.id,
      before.version,
      save.spentTokenId ?? null,
      save.voidsTokens ?? false,
      JSON.stringify(changedColumns(save)),
      rowsOf('identities', ...toRows(after, null, null).identities),
      save.endsSessions !== undefined && save.endsSessions !== null,
      save.endsSessions?.except ?? null,
      save.sessionRows ?? noRows,
      save.tokenRows ?? noRows,
      save.codeRows ?? noRows,
      save.messageRows ?? noRows,
      save.auditRows,
      save.dropsFactors ?? false,
      save.includesDeleted ?? false,
      `{${voidedPurposes(save).join()}}`,
      claimed(save, 'email'),
      claimed(save, 'phone'),
      save.claim?.auditRows ?? noRows,
      save.askingSessionId ?? null,
    ],
  })
  save.claim?.noteGone(saved?.gone ?? [])
  return saved !== undefined
}

/** The purposes whose tokens are worthless, though others are not. */
function voidedPurposes({ before, after, voidsPurposes = [] }: UserSave): string[] {
  const { user } = before
  return [
    ...(after.newEmail === user.newEmail ? [] : ['email_change_new', 'email_change_current']),
    ...(after.newPhone === user.newPhone ? [] : ['phone_change']),
    ...voidsPurposes,
  ]
}

/** A new address, if there is one that others have to give way to. */
const claimed = ({ before, after, claim }: UserSave, kind: 'email' | 'phone'): string | null =>
  claim && after[kind] !== before.user[kind] ? after[kind] : null

/** The columns whose values differ, so that the statement leaves alone what it need not know. */
function changedColumns({
  before,
  after,
  passwordHash,
  registration = before.registration,
}: UserSave): Record<string, unknown> {
  const { row } = toRows(before.user, before.passwordHash, before.registration)
  const old = new Map(Object.entries(row))
  const changed = Object.entries(toRows(after, passwordHash, registration).row).filter(
    ([column, value]) => JSON.stringify(value) !== JSON.stringify(old.get(column)),
  )
  return Object.fromEntries(changed)
}

const saveText = (sql: Queryable): string => `
  with u as (
    select id from ${sql.table('users')}
    where id = $1 and version = $2 and ($15 or deleted_at is null) for update
  ), asking as (
    select s.id from ${sql.table('sessions')} s join u on s.user_id = u.id
    where s.id = $20 and s.revoked_at is null for key share of s
  ), allowed as (
    select id from u where $20::uuid is null or exists (select from asking)
  ), spent as (
    delete from ${sql.table('one_time_tokens')} t using allowed
    where t.user_id = allowed.id and t.id = $3 returning t.id
  ), ok as (
    select id from allowed where $3::uuid is null or exists (select from spent)
  ), voided as (
    delete from ${sql.table('one_time_tokens')} t using ok
    where ($4 or t.purpose = any($16::text[]))
      and t.user_id = ok.id and ($3::uuid is null or t.id <> $3)
      and not exists (select from jsonb_array_elements($10::jsonb) r
        where r ->> 'purpose' = t.purpose and r ->> 'requested_from' = t.requested_from)
  ), voided_codes as (
    delete from ${sql.table('authorization_codes')} c using ok where $4 and c.user_id = ok.id
  ), gone as (
    delete from ${sql.table('users')} u using ok
    where (u.email = $17 or u.phone = $18) and u.id <> ok.id and ${givesWayCondition('u')}
    returning u.id
  ), saved as (
    update ${sql.table('users')} u set ${sql.setColumns('users', 'u', '$5')}
    from ok where u.id = ok.id and $5::jsonb <> '{}'
      -- To count them is to have removed them: an address is unique.
      and (select count(*) from gone) is not null
  ), kept_identities as (
    ${sql.insertRows('identities', '$6')} where exists (select from ok)
    on conflict (id) do update set identity_data = excluded.identity_data,
      last_sign_in_at = excluded.last_sign_in_at, updated_at = excluded.updated_at
  ), dropped_identities as (
    delete from ${sql.table('identities')} i using ok
    where i.user_id = ok.id
      and i.id not in (select (r ->> 'id')::uuid from jsonb_array_elements($6::jsonb) r)
  ), ended as (
    delete from ${sql.table('sessions')} s using ok
    where $7 and s.user_id = ok.id and ($8::uuid is null or s.id <> $8)
  ), no_factors as (
    delete from ${sql.table('factors')} f using ok where $14 and f.user_id = ok.id
  ), s as (
    ${sql.insertRows('sessions', '$9')} where exists (select from ok)
  ), t as (
    ${sql.insertRows('one_time_tokens', '$10')} where exists (select from ok)
    ${sql.overwrite('one_time_tokens', 'user_id, purpose, requested_from')}
  ), c as (
    ${sql.insertRows('authorization_codes', '$11')} where exists (select from ok)
  ), m as (
    ${sql.insertRows('outbox_messages', '$12')} where exists (select from ok)
  ), a as (
    ${sql.insertRows('audit_entries', '$13')} where exists (select from ok)
  ), gone_entries as (
    ${sql.insertRows('audit_entries', entriesAboutGone('$19'))}
  )
  select to_json(array(select id from gone)) as gone from ok`
