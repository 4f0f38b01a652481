import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { Admin } from '../callers/authenticate-admin.ts'
import { deleteTokensOf } from '../one-time-tokens/one-time-tokens.sql.ts'
import { reportSessionsOf } from '../sessions/sessions.sql.ts'
import { isBannedCondition } from '../users/ban.sql.ts'

/** The data of a deleted user by which limits identify the user. */
export interface ErasedRows {
  id: string
  audience: string
  emails: string[]
  phones: string[]
  usernames: string[]
  /** The addresses from which sessions were last used. */
  ips: string[]
}

/**
 * The proof of a user who deletes the account: the hash against which a password was verified, a
 * one-time token that the deletion consumes, or the version of an account that needs neither.
 */
export type DeletionProof =
  | { passwordHash: string }
  | { nonceTokenId: string }
  | { version: number }

/**
 * The party that deletes: an operator, or the user. Of the user, nothing is deleted when the proof
 * no longer holds, or the caller is banned at `now` or in a session that has ended.
 */
export type DeletingParty =
  | { operator: Admin }
  | { caller: { sessionId: string | null; now: Date }; proof: DeletionProof }

type DeletionParameters = DeletionTerms & {
  messageRows: Rows<'outbox_messages'>
  userId: string
}

/** The conditions of a deletion; all null for an operator. */
type DeletionTerms = {
  passwordHash: string | null
  nonceTokenId: string | null
  version: number | null
  sessionId: string | null
  now: string | null
}

const withoutTerms: DeletionTerms = {
  passwordHash: null,
  nonceTokenId: null,
  version: null,
  sessionId: null,
  now: null,
}

const deletion = statement<DeletionParameters, ErasedRows>(
  'delete_person',
  (sql, $) => `
    with u as (
      select u.id from ${sql.table('users')} u
      where u.id = ${$.userId} and (${$.passwordHash}::text is null or u.password_hash = ${$.passwordHash})
        and (${$.version}::int is null or u.version = ${$.version})
        and (${$.now}::timestamptz is null or not ${isBannedCondition('u', $.now)}) for update
    ), live_session as (
      select s.id from ${sql.table('sessions')} s join u on s.user_id = u.id
      where s.id = ${$.sessionId} and s.revoked_at is null for key share of s
    ), allowed as (
      select id from u where ${$.sessionId}::uuid is null or exists (select from live_session)
    ), consumed as (
      ${deleteTokensOf(sql, 'allowed', `t.id = ${$.nonceTokenId}`)} returning t.id
    ), removed as (
      delete from ${sql.table('users')} g using allowed
      where g.id = allowed.id and (${$.nonceTokenId}::uuid is null or exists (select from consumed)) returning g.*
    ), ${reportSessionsOf(sql, 'removed')}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from removed)
    ), i as (
      update ${sql.table('imported_users')} set fingerprint = ''
      where id = ${$.userId} and (exists (select from removed) or ${$.now}::timestamptz is null)
    )
    select id, audience,
      to_jsonb(array_remove(array[email, new_email], null)) as emails,
      to_jsonb(array_remove(array[phone, new_phone], null)) as phones,
      to_jsonb(array_remove(array[username], null)) as usernames,
      (select coalesce(jsonb_agg(distinct host(s.ip)), '[]') from ${sql.table('sessions')} s
        where s.user_id = removed.id and s.ip is not null) as ips
    from removed`,
)

/**
 * Deletes a user with all rows of the user, and returns the data for limits.
 *
 * @returns null when there is no such user, and when a condition no longer holds.
 */
export async function eraseRows(
  sql: Queryable,
  userId: string,
  messageRows: Rows<'outbox_messages'>,
  by: DeletingParty,
): Promise<ErasedRows | null> {
  const terms =
    'operator' in by
      ? withoutTerms
      : {
          ...withoutTerms,
          ...by.proof,
          sessionId: by.caller.sessionId,
          now: by.caller.now.toISOString(),
        }
  const [erased] = await sql.query(deletion, { messageRows, userId, ...terms })
  return erased ?? null
}
