import { hash } from 'node:crypto'
import { googleIssuers } from '../../../platform/config/provider-issuers.ts'
import type {
  IdTokenRules,
  JsonReader,
  ProviderClient,
} from '../../../platform/config/sections/provider-definition.ts'
import type { Clock } from '../../../platform/kit/clock.ts'
import { isSameSecret } from '../../../platform/kit/digest.ts'
import { isError } from '../../../platform/kit/is-error.ts'
import {
  type DecodedJws,
  decodeJws,
  type ForeignJwsAlgorithm,
  foreignJwsAlgorithms,
  isSignedBy,
} from '../../../platform/kit/jws.ts'
import type { Issuers, KeyQuery } from './issuers.ts'
import { jsonReader } from './json-reader.ts'

interface Needs {
  clock: Clock
  issuers: Issuers
}

export interface IssuedToken {
  /** The token as sent; null where there is none. */
  idToken: string | null
  /** The access token of the same response, for `at_hash`; null where there is none. */
  accessToken: string | null
  rules: IdTokenRules | undefined
  client: ProviderClient
}

export interface IdTokenToVerify extends IssuedToken {
  /** The accepted audiences. The token must be for one of them. */
  audiences: readonly string[]
  /** The nonce of the authorization request; null where it had none. */
  nonce: string | null
  /** True where a token without the nonce is rejected, as OpenID Connect requires. */
  requiresNonce: boolean
}

/**
 * A token that is not accepted. Any other exception is a fault of the issuer, or of the service.
 */
export interface BadIdToken extends Error {
  name: 'BadIdToken'
}

export const isBadIdToken = (error: unknown): error is BadIdToken =>
  isError(error) && error.name === 'BadIdToken'

const badIdToken = (reason: string): BadIdToken =>
  Object.assign(new Error(`id token ${reason}`), { name: 'BadIdToken' as const })

/**
 * Verifies an id token with the keys that its issuer publishes: issuer, lifetime, audience, and
 * that it is the response to this request.
 *
 * @throws BadIdToken with the reason why it is not accepted. Error when the keys are unavailable.
 * @see OpenID Connect Core 1.0 §3.1.3.7
 */
export async function verifyIdToken(needs: Needs, token: IdTokenToVerify): Promise<JsonReader> {
  const claims = await verifyIssuedToken(needs, token)
  const audiences = audiencesOf(claims)
  if (!audiences.some((audience) => token.audiences.includes(audience))) {
    throw badIdToken('is for another audience')
  }
  requireAuthorizedParty(claims, token.audiences)
  requireNonce(claims, token)
  return claims
}

/**
 * Verifies signature, issuer, lifetime and `at_hash` of an id token. The caller compares audience
 * and nonce.
 *
 * @throws as {@link verifyIdToken}.
 */
export async function verifyIssuedToken(needs: Needs, token: IssuedToken): Promise<JsonReader> {
  const { idToken, rules, client } = token
  if (!rules) throw badIdToken('is not expected of this provider')
  const jws = idToken === null ? null : decodeJws(idToken)
  if (!jws) throw badIdToken('is missing or no token')
  requireKnownHeader(jws)
  const claims = jsonReader(jws.payload)
  const issuer = rules.issuerOf(requireText(claims, 'iss'), client)
  if (issuer === null) throw badIdToken('is of an issuer that is not accepted')
  // Precedes requests to the issuer, since most rejected tokens have expired.
  requireWithinLifetime(claims, needs.clock.now())
  const publisher = rules.publisherOf?.(issuer, client) ?? null
  const isAlias = (named: string) => rules.issuerOf(named, client) === issuer
  const { url, includes } = publisher ?? { url: issuer, includes: isAlias }
  const document = await needs.issuers.discover(url, includes)
  const algorithm = requireAlgorithm(document, jws)
  const isIssuer = publisher ? includes : () => true
  await requireSignature(needs, jws, {
    issuer: url,
    document,
    algorithm,
    kid: kidOf(jws),
    isIssuer,
  })
  requireBoundTo(claims, algorithm, token.accessToken)
  return claims
}

/** Returns the issuer of a token before verification; null where it has none. */
export function issuerNamedIn(idToken: string): string | null {
  const issuer = decodeJws(idToken)?.payload['iss']
  return typeof issuer === 'string' && issuer !== '' ? issuer : null
}

/** Returns the audiences of a token; none where `aud` is neither text nor an array of texts. */
export function audiencesOf(claims: JsonReader): string[] {
  return [claims.value('aud')].flat().filter((audience) => typeof audience === 'string')
}

function requireKnownHeader({ header: { typ, crit }, payload: { events } }: DecodedJws): void {
  // No header extension is supported, so none may be critical. @see RFC 7515 §4.1.11
  if (crit !== undefined) throw badIdToken('has a crit header that is not understood')
  // Another kind of token of the same issuer. @see RFC 8725 §3.11
  if (typ !== undefined && !(typeof typ === 'string' && /^JWT$/i.test(typ))) {
    throw badIdToken('has an unacceptable type')
  }
  // A logout token. @see OpenID Connect Back-Channel Logout 1.0 §2.4
  if (events !== undefined) throw badIdToken('contains events')
}

function requireText(claims: JsonReader, name: string): string {
  const value = claims.value(name)
  if (typeof value !== 'string' || value === '') throw badIdToken(`has no ${name}`)
  return value
}

function kidOf({ header: { kid } }: DecodedJws): string | null {
  if (kid === undefined) return null
  if (typeof kid !== 'string') throw badIdToken('has a kid that is no text')
  return kid
}

const leewaySeconds = 5 * 60

/**
 * Requires a token to be valid now. `nbf` and `iat` have a leeway for different clocks; `exp` has
 * none.
 */
function requireWithinLifetime(claims: JsonReader, now: Date): void {
  const seconds = now.getTime() / 1000
  const expiry = claims.number('exp')
  if (expiry === null || seconds >= expiry) throw badIdToken('is expired, or has no exp')
  for (const name of ['nbf', 'iat']) {
    if (claims.value(name) === undefined) continue
    const since = claims.number(name)
    if (since === null || since > seconds + leewaySeconds)
      throw badIdToken(`has an ${name} to come`)
  }
}

/**
 * Returns the algorithm if the issuer's document lists it. Without a list, only RS256 is accepted.
 */
function requireAlgorithm(document: JsonReader, { header: { alg } }: DecodedJws) {
  const published = document.value('id_token_signing_alg_values_supported')
  const accepted = published === undefined ? ['RS256'] : [published].flat()
  const algorithm = foreignJwsAlgorithms.find((name) => name === alg)
  if (!algorithm || !accepted.includes(algorithm)) {
    throw badIdToken('is signed by an algorithm that is not accepted')
  }
  return algorithm
}

async function requireSignature(
  { issuers }: Needs,
  jws: DecodedJws,
  question: KeyQuery,
): Promise<void> {
  const isSigned = async (find: Issuers['findKeys']) => {
    const keys = await find(question)
    const { algorithm } = question
    return {
      found: keys.length > 0,
      signed: keys.some((key) => isSignedBy({ algorithm, key }, jws)),
    }
  }
  const { found, signed } = await isSigned(issuers.findKeys)
  if (signed) return
  // A key with the `kid` of the token decides. Otherwise the issuer may have a new key.
  const decided = found && question.kid !== null
  if (decided || !(await isSigned(issuers.findNewKeys)).signed) {
    throw badIdToken('is not signed by a key of its issuer')
  }
}

/** @see OpenID Connect Core 1.0 §3.1.3.6 */
function requireBoundTo(
  claims: JsonReader,
  algorithm: ForeignJwsAlgorithm,
  accessToken: string | null,
): void {
  const expected = claims.value('at_hash')
  if (expected === undefined || accessToken === null) return
  // Ed25519 uses SHA-512.
  const digest = algorithm === 'EdDSA' ? 'sha512' : `sha${algorithm.slice(2)}`
  const whole = hash(digest, accessToken, 'buffer')
  const half = whole.subarray(0, whole.length / 2).toString('base64url')
  if (typeof expected !== 'string' || !isSameSecret(expected, half)) {
    throw badIdToken('belongs to another access token')
  }
}

/**
 * Requires a token to have been issued to an accepted client. A token with several audiences must
 * contain `azp`. With one audience, another client in `azp` is the sign of an access token that it
 * requested for this application (Microsoft, Keycloak). Google writes any app of the same project,
 * such as that for Android.
 *
 * @throws BadIdToken with another client, and without one for several audiences.
 * @see OpenID Connect Core 1.0 §3.1.3.7
 */
export function requireAuthorizedParty(claims: JsonReader, accepted: readonly string[]): void {
  const party = claims.value('azp')
  const isAbsent = party === undefined || party === null || party === ''
  const isOfProject = googleIssuers.includes(claims.text('iss') ?? '')
  const hasOneAudience = [claims.value('aud')].flat().length < 2
  if (hasOneAudience && (isAbsent || isOfProject)) return
  if (typeof party !== 'string' || !accepted.includes(party)) {
    throw badIdToken('was issued to another client')
  }
}

/**
 * Compares the nonce. A token with another nonce belongs to another request and may be stolen.
 * @see OpenID Connect Core 1.0 §15.5.2
 */
function requireNonce(claims: JsonReader, { nonce, requiresNonce, rules }: IdTokenToVerify): void {
  if (rules?.lacksNonce) return
  const found = claims.value('nonce')
  if (found === undefined) {
    if (nonce !== null && requiresNonce) throw badIdToken('has no nonce')
    return
  }
  if (typeof found !== 'string' || nonce === null || !isSameSecret(found, nonce)) {
    throw badIdToken('has another nonce')
  }
}
