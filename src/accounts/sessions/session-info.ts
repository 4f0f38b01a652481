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
  userAgent: string | null
  /** Whether this is the session of the token that asks; false for operators. */
  isCurrent: boolean
}
