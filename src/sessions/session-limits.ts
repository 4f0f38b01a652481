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
  openedSince: Date | null
  usedSince: Date | null
  /** Of sessions that did not show a second factor which their user has. */
  weakSince: Date | null
  singlePerUser: boolean
  tags: readonly string[] | null
}

export const sessionLimits = (lifetimes: SessionLifetimes, now: Date): SessionLimits => ({
  openedSince: before(now, lifetimes.timeboxSeconds),
  usedSince: before(now, lifetimes.inactivityTimeoutSeconds),
  weakSince: before(now, lifetimes.allowLowAalSeconds),
  singlePerUser: lifetimes.singlePerUser,
  tags: lifetimes.tags.length === 0 ? null : lifetimes.tags,
})

/**
 * Whether a session has ended, apart from the rule of one per user.
 *
 * @param hasFactor whether its user has a second factor.
 */
export function isOver(
  session: { aal: string; createdAt: Date; refreshedAt: Date | null; notAfter: Date | null },
  { openedSince, usedSince, weakSince }: SessionLimits,
  { now, hasFactor }: { now: Date; hasFactor: boolean },
): boolean {
  const { aal, createdAt, refreshedAt, notAfter } = session
  if (notAfter !== null && now >= notAfter) return true
  if (openedSince !== null && createdAt < openedSince) return true
  const isWeak = hasFactor && aal !== 'aal2'
  if (isWeak && weakSince !== null && createdAt < weakSince) return true
  return usedSince !== null && (refreshedAt ?? createdAt) < usedSince
}

const before = (now: Date, seconds: number | null): Date | null =>
  seconds === null ? null : new Date(now.getTime() - seconds * 1000)
