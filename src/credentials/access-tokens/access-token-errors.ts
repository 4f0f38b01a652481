import { AuthError } from '../../platform/errors/auth-error.ts'

/** Rejects an invalid token. `detail` contains the reason, without any part of the token. */
export const badJwt = (detail: string): AuthError =>
  new AuthError('bad_jwt', 403, `invalid JWT: unable to parse or verify signature, ${detail}`)

/** Rejects a token of ours with a missing claim, or a claim that the endpoint does not accept. */
export const badClaim = (detail: string, status = 403): AuthError =>
  new AuthError('bad_jwt', status, `invalid claim: ${detail}`)

/**
 * The token exceeds the size that requests can carry. Metadata or a hook make a token large.
 *
 * @param largest the sizes of the largest claims, for the log.
 */
export const accessTokenTooLarge = (
  bytes: number,
  maxBytes: number,
  largest: Readonly<Record<string, number>>,
): AuthError =>
  new AuthError(
    'unexpected_failure',
    500,
    `The access token has ${bytes} bytes; the limit is ${maxBytes}`,
    {},
    { cause: new RangeError(`The largest claims, in bytes: ${JSON.stringify(largest)}`) },
  )

/** The request is for another audience than its token. */
export const unexpectedAudience = (): AuthError =>
  new AuthError('unexpected_audience', 403, "Token audience doesn't match request audience")

/** The token of an OAuth client, where only one of the user's own session is accepted. */
export const insufficientScope = (
  message = 'A token of an OAuth client is not accepted here',
): AuthError => new AuthError('insufficient_scope', 403, message)

/** The token lacks a scope. @see RFC 6750 §3.1 */
export const scopeMissing = (): AuthError => insufficientScope('The token lacks a required scope')
