import type { Queryable } from '../kit/queryable.ts'
import type { SessionRow } from './session.ts'

export interface Rotation {
  sessionId: string
  /** The counter of the token that was presented. */
  counter: number
  now: Date
  /** Rotations after this instant are young enough for their parent token to be used again. */
  reusableSince: Date
  /** Whether reuse of an older token ends the session. */
  revokesOnReuse: boolean
  ip: string | null
  userAgent: string | null
  /** Written when the token is accepted, with the session's user as actor. */
  auditRows: string
  /** An expression for the session's user, whose table has the alias `u`. */
  user: string
}

/** The session after the attempt, and whether the token was accepted. */
export interface RotatedSession<User> {
  session: SessionRow
  user: User
  accepted: boolean
}

/**
 * Advances a session's counter if the token is the newest, leaves it if the token is the one before
 * and its rotation is young, and else revokes the session.
 *
 * One update decides, on the row as it is once the lock is held: of two requests with the same token
 * one advances the counter, and the other sees that and gets the same child. A banned user's session
 * and one past its end stay as they are.
 */
export async function rotateSession<User>(
  sql: Queryable,
  rotation: Rotation,
): Promise<RotatedSession<User> | null> {
  const [row] = await sql.query<RotatedSession<User>>({
    name: 'rotate_session',
    text: `
      with s as (
        update ${sql.table('sessions')} s set
          refresh_token_counter = case when ${isLive} and ${isNewest}
            then s.refresh_token_counter + 1 else s.refresh_token_counter end,
          refreshed_at = case when ${isLive} and ${isNewest} then $3 else s.refreshed_at end,
          ip = case when ${isLive} and ${isNewest} then $6 else s.ip end,
          user_agent = case when ${isLive} and ${isNewest} then $7 else s.user_agent end,
          revoked_at = case when ${isLive} and $5 and ${isReused} then $3 else s.revoked_at end
        from ${sql.table('users')} u
        where s.id = $1 and u.id = s.user_id and u.deleted_at is null
        returning s.user_id, to_jsonb(s) as session, ${isLive} and ${hasChild} as accepted
      ), a as (
        ${sql.insertRows('audit_entries', auditRowsOfUser)}
      )
      select s.session, s.accepted, ${rotation.user} as "user"
      from s join ${sql.table('users')} u on u.id = s.user_id`,
    values: [
      rotation.sessionId,
      rotation.counter,
      rotation.now.toISOString(),
      rotation.reusableSince.toISOString(),
      rotation.revokesOnReuse,
      rotation.ip,
      rotation.userAgent,
      rotation.auditRows,
    ],
  })
  return row ?? null
}

const isLive = `(s.revoked_at is null and (s.not_after is null or s.not_after > $3)
  and (u.banned_until is null or u.banned_until <= $3))`

const isNewest = 's.refresh_token_counter = $2::int'

/** One rotation past the token, just now or shortly ago. */
const hasChild = `(s.refresh_token_counter = $2::int + 1
  and (s.refreshed_at = $3 or s.refreshed_at > $4))`

const isReused = `(s.refresh_token_counter > $2::int and not ${hasChild})`

const auditRowsOfUser = `(
  select jsonb_agg(entry || jsonb_build_object('actor_id', s.user_id))
  from s, jsonb_array_elements($8::jsonb) entry where s.accepted)`
