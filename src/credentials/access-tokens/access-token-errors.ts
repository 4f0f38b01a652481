import { AuthError } from '../../platform/errors/auth-error.ts'

/** The token is not valid. `detail` says why, without any part of the token. */
export const badJwt = (detail: string): AuthError =>
  new AuthError('bad_jwt', 403, `invalid JWT: unable to parse or verify signature, ${detail}`)

/** The token is ours, but a claim is missing or not what this endpoint needs. */
export const badClaim = (detail: string, status = 403): AuthError =>
  new AuthError('bad_jwt', status, `invalid claim: ${detail}`)

/** A request with it would not be taken. What makes it large is metadata, or what a hook adds. */
export const accessTokenTooLarge = (bytes: number, maxBytes: number): AuthError =>
  new AuthError(
    'unexpected_failure',
    500,
    `The access token would take ${bytes} bytes, and ${maxBytes} fit into a request`,
  )

/** The request asks for another audience than the token is for. */
export const unexpectedAudience = (): AuthError =>
  new AuthError('unexpected_audience', 403, "Token audience doesn't match request audience")
