import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows, TableFragments } from '../../platform/sql/tables.ts'
import {
  byEndingRules,
  type EndingValues,
  endingValues,
  type TokenEnding,
  tokenEndingExpression,
  withRuleNames,
} from '../sessions/session-ending.sql.ts'
import type { SignOutScope } from '../sessions/session-info.ts'
import type { SessionLimits } from '../sessions/session-limits.ts'
import { noPendingChanges } from '../users/user-addresses.ts'
import { endParts } from './end-parts.sql.ts'

export interface EndingOfSessions {
  userId: string
  /** The caller's session; null for a token without one, which ends all. */
  sessionId: string | null
  scope: SignOutScope
  /** The audiences of the caller's token; null when it has no audience limit. */
  audiences: readonly string[] | null
  limits: SessionLimits
  /**
   * Stored where a session ended, as `auditRows` are: a sign-out without effect can be repeated
   * without limit.
   */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** The caller before anything ended. */
export interface CallerState {
  audience: string
  /** The reason why the caller's token is no longer accepted; null while it is. */
  ending: TokenEnding | null
  /** Whether a session ended. */
  hasEnded: boolean
}

type EndParameters = {
  userId: string
  sessionId: string | null
  scope: SignOutScope
  audiences: string | null
  ending: EndingValues
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/**
 * Returns a common table expression with the locked user, unless the user was changed while the
 * statement waited for the lock. The statement would not see a session that the change added: it
 * reads rows as they were at its start, and locked ones as they are.
 *
 * @param locked an earlier common table expression with `id` and `version`.
 */
const unchanged = (sql: TableFragments, locked: string): string => `unchanged as (
      select l.id from ${locked} l join ${sql.table('users')} u on u.id = l.id and u.version = l.version
    )`

const endWith = byEndingRules((rules) =>
  statement<EndParameters, { caller: CallerState; is_changed: boolean }>(
    withRuleNames('end_sessions', rules),
    (sql, $) => `
    with caller as (
      select u.id, u.version, u.audience, ${tokenEndingExpression(sql, rules, $.ending, $.sessionId)} as ending,
        (${$.audiences}::jsonb is null or ${$.audiences}::jsonb @> to_jsonb(u.audience)) as is_addressed
      from ${sql.table('users')} u
      left join ${sql.table('sessions')} s on s.id = ${$.sessionId} and s.user_id = u.id
      where u.id = ${$.userId}
      for no key update of u
    ), ${unchanged(sql, 'caller')}, allowed as (
      select id from caller where ending is null and is_addressed and id in (select id from unchanged)
    ), ${endParts(
      sql,
      'allowed',
      {
        signedOutEverywhere: `(${$.sessionId}::uuid is null or ${$.scope} = 'global')`,
        signedOutElsewhere: `${$.scope} = 'others'`,
        signedOut: `${$.scope} = 'local'`,
      },
      { sessionId: $.sessionId },
    )}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from ended)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from ended)
    )
    select json_build_object('audience', audience, 'ending', ending,
      'hasEnded', exists (select from ended)) as caller,
      not exists (select from unchanged) as is_changed from caller`,
  ),
)

/**
 * Ends sessions of an authorized caller. Nothing ends for a banned user, for a token of another
 * audience, or for a session that has ended. Where all sessions end, so do the grants of
 * capabilities.
 *
 * The caller's row is locked, so that the user is not erased while the sign-out is recorded.
 *
 * @returns the state of the caller; null when there is no such user; `changed` where nothing ended,
 *   since the statement waited for a concurrent change of the user.
 */
export async function endSessions(
  sql: Queryable,
  { audiences, limits, ...ending }: EndingOfSessions,
): Promise<CallerState | null | 'changed'> {
  const [row] = await sql.query(endWith(limits), {
    ...ending,
    audiences: audiences && JSON.stringify(audiences),
    ending: endingValues(limits),
  })
  return row?.is_changed ? 'changed' : (row?.caller ?? null)
}

interface EndOfAll {
  userId: string
  /** Both are stored where there was a session. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type EndAllParameters = EndOfAll & { changes: string }

const end = statement<EndAllParameters, { ended: number; is_changed: boolean }>(
  'end_user_sessions',
  (sql, $) => `
    with locked as (
      select id, version from ${sql.table('users')} where id = ${$.userId} for no key update
    ), ${unchanged(sql, 'locked')}, u as (
      select id from unchanged
    ), ${endParts(sql, 'u', { sessionsRevoked: 'true' })}, settled as (
      update ${sql.table('users')} u set ${sql.setColumns('users', 'u', $.changes)}
      where u.id in (select id from u) and (u.new_email is not null or u.new_phone is not null)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from ended)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from ended)
    )
    select (select count(*)::int from ended) as ended,
      not exists (select from unchanged) as is_changed from locked`,
)

/**
 * Ends all sessions of a user on behalf of an operator, and the grants of capabilities. It revokes
 * authorization codes, which would open further sessions, and the pending changes of address: the
 * attacker against whom the sessions are ended may have requested them. The user is locked first, as
 * by every change of a user.
 *
 * @returns the number of sessions; null when there is no such user; `changed` as
 *   {@link endSessions}.
 */
export async function endUserSessions(
  sql: Queryable,
  ending: EndOfAll,
): Promise<number | null | 'changed'> {
  const changes = JSON.stringify(noPendingChanges)
  const [found] = await sql.query(end, { ...ending, changes })
  return found?.is_changed ? 'changed' : (found?.ended ?? null)
}
