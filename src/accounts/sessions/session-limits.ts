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
