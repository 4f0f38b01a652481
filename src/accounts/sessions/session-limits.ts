import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

/** The configured lifetimes of sessions. Null sets no limit. */
export interface SessionLifetimes {
  timeboxSeconds: number | null
  inactivityTimeoutSeconds: number | null
  /** The lifetime of a session without the second factor that its user has. */
  allowLowAalSeconds: number | null
  singlePerUser: boolean
  /** Kinds of session, such as one per device; the first is the usual one. */
  tags: readonly string[]
}

/** The limits at one moment: sessions opened or used before these instants have ended. */
export interface SessionLimits {
  now: Date
  openedSince: Date | null
  usedSince: Date | null
  /** The limit of sessions without the second factor that their user has. */
  weakSince: Date | null
  singlePerUser: boolean
  tags: readonly string[] | null
}

export const sessionLimits = (lifetimes: SessionLifetimes, now: Date): SessionLimits => ({
  now,
  openedSince: before(now, lifetimes.timeboxSeconds),
  usedSince: before(now, lifetimes.inactivityTimeoutSeconds),
  weakSince: before(now, lifetimes.allowLowAalSeconds),
  singlePerUser: lifetimes.singlePerUser,
  tags: lifetimes.tags.length === 0 ? null : lifetimes.tags,
})

/**
 * The number of rows beyond twice the maximum that one sign-in deletes. For a user with more,
 * several sign-ins delete all.
 */
const deletedAtOnce = 500

/** Returns the maximum number of sessions of a user, for the statement that opens one. */
export function sessionCeiling(
  lifetimes: SessionLifetimes & { maxPerUser: number },
  now: Date,
): SessionCeiling {
  const { openedSince, usedSince } = sessionLimits(lifetimes, now)
  return {
    most: lifetimes.maxPerUser,
    looked: 2 * lifetimes.maxPerUser + deletedAtOnce,
    now: now.toISOString(),
    openedSince: openedSince?.toISOString() ?? null,
    usedSince: usedSince?.toISOString() ?? null,
  }
}

const before = (now: Date, seconds: number | null): Date | null =>
  seconds === null ? null : new Date(now.getTime() - seconds * 1000)

/** The time limits of sessions, as placeholders. */
interface TimeLimits {
  now: string
  openedSince: string
  usedSince: string
}

/** Returns a condition on a session: it has reached its end or its time box. */
export const isPastItsTime = (
  session: string,
  at: Pick<TimeLimits, 'now' | 'openedSince'>,
): string =>
  `(${session}.not_after <= ${at.now} or ${session}.created_at < ${at.openedSince}::timestamptz) is true`

/** Returns a condition on a session: it was not renewed for too long. */
export const isUnused = (session: string, at: Pick<TimeLimits, 'usedSince'>): string =>
  `(${lastUseOf(session)} < ${at.usedSince}::timestamptz) is true`

/** Returns an expression for the instant of the last use of a session. */
export const lastUseOf = (session: string): string =>
  `coalesce(${session}.refreshed_at, ${session}.created_at)`

/**
 * The maximum number of a user's own sessions, and that of the sessions of all OAuth clients, as a
 * group of parameters.
 */
export type SessionCeiling = {
  most: number
  /** The maximum number of the user's rows that are read. */
  looked: number
  now: string
  openedSince: string | null
  usedSince: string | null
}

/** The values for a statement that opens no session. */
export const noSessionCeiling: SessionCeiling = {
  most: 0,
  looked: 0,
  now: '-infinity',
  openedSince: null,
  usedSince: null,
}

/**
 * Returns a statement that deletes the sessions of a user beyond the maximum, for the statement
 * that opens one: those that have ended first, then the least recently used. Revoked sessions are
 * kept, so that reuse of their tokens is recognized; the latest ones, up to the same maximum,
 * remain.
 *
 * The user's own sessions and those of OAuth clients are counted separately: a client opens sessions
 * without an action of the user. Among clients, the one with the most sessions loses one.
 *
 * @param opened the common table expression that returns `user_id` and `oauth_client_id` of the
 *   session that is opened.
 */
export const deleteSurplusSessions = (
  sql: TableFragments,
  opened: string,
  $: Placeholders<SessionCeiling>,
): string => `
  delete from ${sql.table('sessions')} where id = any(array(
    select id from (
      select s.id, s.is_revoked, row_number() over (
        partition by s.is_revoked order by s.is_over, s.place_in_client, s.used_at desc, s.id) as place
      from (
        select s.*, row_number() over (
          partition by s.is_revoked, s.client order by s.is_over, s.used_at desc, s.id) as place_in_client
        from (
          select s.id, s.oauth_client_id as client, s.revoked_at is not null as is_revoked,
            (${isPastItsTime('s', $)} or ${isUnused('s', $)}) as is_over, ${lastUseOf('s')} as used_at
          from ${sql.table('sessions')} s
          where s.user_id = (select user_id from ${opened} limit 1)
            and (s.oauth_client_id is null) = (select oauth_client_id is null from ${opened} limit 1)
          limit ${$.looked}::int
        ) s
      ) s
    ) ranked
    where place > ${$.most}::int - case when is_revoked then 0 else 1 end))`
