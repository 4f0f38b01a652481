import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'
import { importedCounter } from './imported-token.ts'
import type { RefreshToken } from './refresh-token.ts'
import type { SessionRow } from './session.ts'
import {
  type EndingRules,
  endingExpression,
  endingRules,
  type SessionEnding,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'

/** A token as it was presented: one of ours, or one that came with an imported session. */
export type PresentedToken = RefreshToken | ImportedTokenHashes

export interface ImportedTokenHashes {
  /** What may be stored of it; under which root it was, only the database knows. */
  hashes: readonly string[]
}

export interface Rotation {
  token: PresentedToken
  now: Date
  /** For how long after a rotation its parent token may be used again. */
  reuseIntervalSeconds: number
  /** Whether reuse of an older token ends the session. */
  revokesOnReuse: boolean
  limits: SessionLimits
  ip: string | null
  userAgent: string | null
  /** Written when the token is accepted, with the session's user as actor. */
  auditRows: Rows<'audit_entries'>
  /** An expression for the session's user, whose table has the alias `u`. */
  user: () => string
}

/** The session after the attempt, and whether the token was accepted. */
export interface RotatedSession<User> {
  session: SessionRow
  user: User
  accepted: boolean
  /** The rule that has ended the session; null while it may be renewed. */
  ending: SessionEnding | null
}

/**
 * Advances a session's counter if the token is the newest, leaves it if the token is the one before
 * and its rotation is young, and else revokes the session.
 *
 * One update decides, on the row as it is once the lock is held: of two requests with the same token
 * one advances the counter, and the other sees that and gets the same child. A banned user's session
 * and one that a rule has ended stay as they are.
 */
export async function rotateSession<User>(
  sql: Queryable,
  rotation: Rotation,
): Promise<RotatedSession<User> | null> {
  const { limits, token } = rotation
  const target = { isImported: 'hashes' in token, rules: endingRules(limits) }
  const [row] = await sql.query<{ rotated: RotatedSession<User> }>({
    name: nameOf(target),
    text: () => rotateText(sql, rotation.user(), target),
    values: [
      'hashes' in token ? JSON.stringify(token.hashes) : token.sessionId,
      counterOf(token),
      rotation.now.toISOString(),
      rotation.reuseIntervalSeconds,
      rotation.revokesOnReuse,
      rotation.ip,
      rotation.userAgent,
      rotation.auditRows,
      limits.openedSince?.toISOString() ?? null,
      limits.usedSince?.toISOString() ?? null,
      limits.weakSince?.toISOString() ?? null,
      ...(limits.singlePerUser ? [limits.tags && JSON.stringify(limits.tags)] : []),
    ],
  })
  return row?.rotated ?? null
}

/** How far the session had been renewed when the token was issued. */
export const counterOf = (token: PresentedToken): number =>
  'hashes' in token ? importedCounter : token.counter

/** What the text of the statement depends on. */
interface Target {
  /** Our own tokens name their session; of others it is looked up, in the same statement. */
  isImported: boolean
  rules: EndingRules
}

const nameOf = ({ isImported, rules }: Target): string =>
  [
    isImported ? 'rotate_imported_session' : 'rotate_session',
    ...(rules.endsWeak ? ['unless_weak'] : []),
    ...(rules.singlePerUser ? ['unless_overtaken'] : []),
  ].join('_')

const sessionIdOf = (sql: Queryable, { isImported }: Target): string =>
  isImported
    ? `(select session_id from ${sql.table('imported_tokens')}
      where token_hash in (select jsonb_array_elements_text($1::jsonb)))`
    : '$1'

const endingParameters = {
  now: '$3',
  openedSince: '$9',
  usedSince: '$10',
  weakSince: '$11',
  tags: '$12',
}

const isNewest = 's.refresh_token_counter = $2::int'

/** One rotation past the token, just now or shortly ago. */
const hasChild = `(s.refresh_token_counter = $2::int + 1
  and (s.refreshed_at = $3 or s.refreshed_at > $3 - make_interval(secs => $4)))`

const isReused = `(s.refresh_token_counter > $2::int and not ${hasChild})`

/** There is one, or none where nothing is recorded. */
const auditRowsOfUser = `(
  select jsonb_set($8::jsonb, '{0, actor_id}', to_jsonb(s.user_id)) from s where s.accepted)`

function rotateText(sql: Queryable, user: string, target: Target): string {
  const ending = endingExpression(sql, target.rules, endingParameters)
  const sessionId = sessionIdOf(sql, target)
  const isLive = `(s.revoked_at is null and (u.banned_until is null or u.banned_until <= $3)
    and ${ending} is null)`
  return `
    with s as (
      update ${sql.table('sessions')} s set
        refresh_token_counter = case when ${isLive} and ${isNewest}
          then s.refresh_token_counter + 1 else s.refresh_token_counter end,
        refreshed_at = case when ${isLive} and ${isNewest} then $3 else s.refreshed_at end,
        ip = case when ${isLive} and ${isNewest} then $6 else s.ip end,
        user_agent = case when ${isLive} and ${isNewest} then $7 else s.user_agent end,
        revoked_at = case when ${isLive} and $5 and ${isReused} then $3 else s.revoked_at end
      from ${sql.table('users')} u
      where s.id = ${sessionId} and u.id = s.user_id and u.deleted_at is null
      returning s.user_id, row_to_json(s) as session, ${isLive} and ${hasChild} as accepted,
        ${ending} as ending
    ), a as (
      ${sql.insertRows('audit_entries', auditRowsOfUser)}
    )
    select json_build_object('session', s.session, 'accepted', s.accepted, 'ending', s.ending,
      'user', ${user}) as rotated
    from s join ${sql.table('users')} u on u.id = s.user_id`
}
