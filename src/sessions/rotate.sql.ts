import type { Queryable } from '../kit/queryable.ts'
import { importedCounter } from './imported-token.ts'
import type { RefreshToken } from './refresh-token.ts'
import type { SessionRow } from './session.ts'
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
  /** Rotations after this instant are young enough for their parent token to be used again. */
  reusableSince: Date
  /** Whether reuse of an older token ends the session. */
  revokesOnReuse: boolean
  limits: SessionLimits
  ip: string | null
  userAgent: string | null
  /** Written when the token is accepted, with the session's user as actor. */
  auditRows: string
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
 * Past its time; not renewed for too long; without a second factor for too long, which its user has;
 * overtaken by a newer sign-in of the same user.
 */
export type SessionEnding = 'expired' | 'inactive' | 'weak' | 'superseded'

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
  const target = { isImported: 'hashes' in token, rules: rulesOf(limits) }
  const [row] = await sql.query<RotatedSession<User>>({
    name: nameOf(target),
    text: () => rotateText(sql, rotation.user(), target),
    values: [
      'hashes' in token ? JSON.stringify(token.hashes) : token.sessionId,
      counterOf(token),
      rotation.now.toISOString(),
      rotation.reusableSince.toISOString(),
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
  return row ?? null
}

/** How far the session had been renewed when the token was issued. */
export const counterOf = (token: PresentedToken): number =>
  'hashes' in token ? importedCounter : token.counter

/**
 * Which rules look into other rows. The text has these only where they are wanted: as conditions that a
 * parameter switches off they made PostgreSQL plan the statement anew each time, in the hope of leaving
 * them out.
 */
interface Rules {
  endsWeak: boolean
  singlePerUser: boolean
}

const rulesOf = ({ weakSince, singlePerUser }: SessionLimits): Rules => ({
  endsWeak: weakSince !== null,
  singlePerUser,
})

/** What the text of the statement depends on. */
interface Target {
  /** Our own tokens name their session; of others it is looked up, in the same statement. */
  isImported: boolean
  rules: Rules
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

const lastUseOf = (session: string) => `coalesce(${session}.refreshed_at, ${session}.created_at)`

const isPastItsTime = (session: string) =>
  `(${session}.not_after <= $3 or ${session}.created_at < $9::timestamptz) is true`

const isUnused = (session: string) => `(${lastUseOf(session)} < $10::timestamptz) is true`

/** Whether a session has to be proved by a second factor by now: its user has one. */
const isWeak = (sql: Queryable, session: string, { endsWeak }: Rules) => {
  const hasFactor = `exists (select from ${sql.table('factors')} f
    where f.user_id = ${session}.user_id and f.status = 'verified')`
  return `(${session}.created_at < $11::timestamptz and ${session}.aal <> 'aal2'
    and ${endsWeak ? hasFactor : 'false'}) is true`
}

/** The session's own tag if it is a configured one, else the first of those. */
const tagOf = (session: string) =>
  `coalesce(case when $12::jsonb ? ${session}.tag then ${session}.tag end, $12::jsonb ->> 0, '')`

/** Of several sessions with one tag, only the one that was used last goes on. */
const isOvertaken = (sql: Queryable, rules: Rules) => `exists (
  select from ${sql.table('sessions')} o
  where o.user_id = s.user_id and o.id <> s.id and o.revoked_at is null
    and not ${isPastItsTime('o')} and not ${isUnused('o')} and not ${isWeak(sql, 'o', rules)}
    and ${tagOf('o')} = ${tagOf('s')} and ${lastUseOf('o')} > ${lastUseOf('s')})`

const endingOf = (sql: Queryable, rules: Rules) => `(case
  when ${isPastItsTime('s')} then 'expired'
  when ${isUnused('s')} then 'inactive'
  when ${isWeak(sql, 's', rules)} then 'weak'
  ${rules.singlePerUser ? `when ${isOvertaken(sql, rules)} then 'superseded'` : ''} end)`

const isNewest = 's.refresh_token_counter = $2::int'

/** One rotation past the token, just now or shortly ago. */
const hasChild = `(s.refresh_token_counter = $2::int + 1
  and (s.refreshed_at = $3 or s.refreshed_at > $4))`

const isReused = `(s.refresh_token_counter > $2::int and not ${hasChild})`

const auditRowsOfUser = `(
  select jsonb_agg(entry || jsonb_build_object('actor_id', s.user_id))
  from s, jsonb_array_elements($8::jsonb) entry where s.accepted)`

function rotateText(sql: Queryable, user: string, target: Target): string {
  const ending = endingOf(sql, target.rules)
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
      returning s.user_id, to_jsonb(s) as session, ${isLive} and ${hasChild} as accepted,
        ${ending} as ending
    ), a as (
      ${sql.insertRows('audit_entries', auditRowsOfUser)}
    )
    select s.session, s.accepted, s.ending, ${user} as "user"
    from s join ${sql.table('users')} u on u.id = s.user_id`
}
