import type { AuthenticatorAssuranceLevel } from './assurance.ts'

/** One sign-in of a user, as its user sees it. */
export interface SessionInfo {
  id: string
  aal: AuthenticatorAssuranceLevel
  createdAt: Date
  /** The time at which it was opened or last renewed. */
  lastUsedAt: Date
  /** The address of its last use; null where it is unknown. */
  ip: string | null
  /** Browser and operating system, such as `Firefox on Windows`; null for other user agents. */
  device: string | null
  userAgent: string | null
  /** Whether this is the session of the caller's token; false for operators. */
  isCurrent: boolean
}

/** One page of the live sessions of a user. */
export interface ListSessionsInput {
  /** The first is 1. Default 1. */
  page?: number | undefined
  /** From 1 to 10,000. Default in code: twice `sessions.maxPerUser`. */
  perPage?: number | undefined
}

/** The sessions that a sign-out ends: all of the user's, the caller's, or all but the caller's. */
export const signOutScopes = ['global', 'local', 'others'] as const

export type SignOutScope = (typeof signOutScopes)[number]

/** The tokens that a client stores: they prove and renew its session. */
export interface SessionTokens {
  id: string
  /** A JWT for the `Authorization` header. */
  accessToken: string
  /** Valid for one refresh, which returns the next one. */
  refreshToken: string
  /** The expiry of the access token. */
  expiresAt: Date
  /** The lifetime in seconds from its issue. */
  expiresInSeconds: number
}
