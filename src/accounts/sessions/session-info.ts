import type { AuthenticatorAssuranceLevel } from './assurance.ts'

/** One sign-in of a user, as it is shown to that user. */
export interface SessionInfo {
  id: string
  aal: AuthenticatorAssuranceLevel
  createdAt: Date
  /** When it was opened or last renewed. */
  lastUsedAt: Date
  /** Where it was last used from, as far as that is known. */
  ip: string | null
  /** Browser and operating system, such as `Firefox on Windows`; null for other user agents. */
  device: string | null
  userAgent: string | null
  /** Whether this is the session of the token that asks; false for operators. */
  isCurrent: boolean
}

/** One page of the live sessions of a user. */
export interface ListSessionsInput {
  /** The first is 1. Default 1. */
  page?: number | undefined
  /** From 1 to 10,000. Default in code: `sessions.maxPerUser`. */
  perPage?: number | undefined
}
