/** How long sessions last, as configured. Null sets no limit. */
export interface SessionLifetimes {
  timeboxSeconds: number | null
  inactivityTimeoutSeconds: number | null
  singlePerUser: boolean
  /** Kinds of session, such as one per device; the first is the usual one. */
  tags: readonly string[]
}

/** The same at one moment: sessions opened or used before these instants have ended. */
export interface SessionLimits {
  openedSince: Date | null
  usedSince: Date | null
  singlePerUser: boolean
  tags: readonly string[] | null
}

export const sessionLimits = (lifetimes: SessionLifetimes, now: Date): SessionLimits => ({
  openedSince: before(now, lifetimes.timeboxSeconds),
  usedSince: before(now, lifetimes.inactivityTimeoutSeconds),
  singlePerUser: lifetimes.singlePerUser,
  tags: lifetimes.tags.length === 0 ? null : lifetimes.tags,
})

/** Whether a session may still be used, apart from the rule of one per user. */
export function isOver(
  session: { createdAt: Date; refreshedAt: Date | null; notAfter: Date | null },
  { openedSince, usedSince }: SessionLimits,
  now: Date,
): boolean {
  const { createdAt, refreshedAt, notAfter } = session
  if (notAfter !== null && now >= notAfter) return true
  if (openedSince !== null && createdAt < openedSince) return true
  return usedSince !== null && (refreshedAt ?? createdAt) < usedSince
}

const before = (now: Date, seconds: number | null): Date | null =>
  seconds === null ? null : new Date(now.getTime() - seconds * 1000)
