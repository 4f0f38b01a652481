import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'

/** The user of a request, from the access token, without a query. */
export interface SignedInViewer {
  userId: string
  /** Null for a bearer token without a session. */
  sessionId: string | null
  claims: AccessTokenClaims
  /** For calls to other services. It is valid for at least a few seconds. */
  accessToken: string
}
