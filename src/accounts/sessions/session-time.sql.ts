/** The time limits of sessions, as placeholders. */
export interface TimeLimits {
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
