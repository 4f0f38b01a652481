import type { SessionCeiling } from './session-ceiling.sql.ts'

/** How long sessions last, as configured. Null sets no limit. */
export interface SessionLifetimes {
  timeboxSeconds: number | null
  inactivityTimeoutSeconds: number | null
  /** Below what the factors of its user can prove. */
  allowLowAalSeconds: number | null
  singlePerUser: boolean
  /** Kinds of session, such as one per device; the first is the usual one. */
  tags: readonly string[]
}

/** The same at one moment: sessions opened or used before these instants have ended. */
export interface SessionLimits {
  now: Date
  openedSince: Date | null
  usedSince: Date | null
  /** Of sessions that did not show a second factor which their user has. */
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

/** Rows beyond twice the ceiling that one sign-in deletes: of a user with more, several delete all. */
const deletedAtOnce = 500

/** How many sessions a user has at most, for the statement that opens one. */
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
