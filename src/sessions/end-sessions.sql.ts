import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { Rows } from '../sql/tables.ts'
import type { SignOutScope } from './sign-out-scope.ts'

export interface EndingOfSessions {
  userId: string
  /** The caller's session; null for a token without one, which ends all. */
  sessionId: string | null
  scope: SignOutScope
  /** The audiences that the caller's token is for; null when it is for all. */
  audiences: readonly string[] | null
  now: Date
  /** Stored where a session ended. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** What was found of the caller before anything ended. */
export interface CallerState {
  audience: string
  bannedUntil: Date | null
  hasSession: boolean
}

interface Row {
  audience: string
  banned_until: string | null
  has_session: boolean
}

type EndParameters = {
  userId: string
  sessionId: string | null
  scope: SignOutScope
  audiences: string | null
  now: string
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const end = statement<EndParameters, { caller: Row }>(
  'end_sessions',
  (sql, $) => `
    with caller as (
      select u.id, u.audience, u.banned_until,
        s.id is not null as has_session,
        (${$.sessionId}::uuid is null or s.id is not null)
          and (u.banned_until is null or u.banned_until <= ${$.now})
          and (${$.audiences}::jsonb is null or ${$.audiences}::jsonb @> to_jsonb(u.audience)) as allowed
      from ${sql.table('users')} u
      left join ${sql.table('sessions')} s
        on s.id = ${$.sessionId} and s.user_id = u.id and s.revoked_at is null
      where u.id = ${$.userId} and u.deleted_at is null
      for key share of u
    ), ended as (
      delete from ${sql.table('sessions')} s using caller c
      where s.user_id = c.id and c.allowed and (${$.sessionId}::uuid is null
        or ${$.scope} = 'global' or (s.id = ${$.sessionId}) = (${$.scope} = 'local'))
      returning s.id
    ), no_trusted_devices as (
      delete from ${sql.table('trusted_devices')} d using caller c
      where d.user_id = c.id and c.allowed and (${$.sessionId}::uuid is null or ${$.scope} = 'global')
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from ended)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from caller where allowed)
    )
    select json_build_object('audience', audience, 'banned_until', banned_until,
      'has_session', has_session) as caller from caller`,
)

/**
 * Ends sessions of a caller who may: nothing ends for a banned user, or on a token for another
 * audience or whose session is gone. Where all of them end, no device is trusted any more.
 *
 * The caller's row is held, so that nobody is erased while it is written that they left.
 *
 * @returns what is known of the caller, null when there is no such user.
 */
export async function endSessions(
  sql: Queryable,
  { audiences, now, ...ending }: EndingOfSessions,
): Promise<CallerState | null> {
  const [row] = await sql.query(end, {
    ...ending,
    audiences: audiences && JSON.stringify(audiences),
    now: now.toISOString(),
  })
  if (!row) return null
  const { audience, banned_until, has_session } = row.caller
  return {
    audience,
    bannedUntil: banned_until === null ? null : new Date(banned_until),
    hasSession: has_session,
  }
}
