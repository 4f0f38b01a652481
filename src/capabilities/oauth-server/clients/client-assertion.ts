import type { KeyObject } from 'node:crypto'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { jsonReader } from '../../../credentials/external/protocol/json-reader.ts'
import { publicKeyReader } from '../../../credentials/external/protocol/public-keys.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import {
  type DecodedJws,
  decodeJws,
  foreignJwsAlgorithms,
  isSignedBy,
} from '../../../platform/kit/jws.ts'
import { isStorable } from '../../../platform/kit/storable-text.ts'
import { oauthError } from '../protocol/oauth-errors.ts'
import { consumeProof } from '../protocol/spent-proofs.sql.ts'
import { clientDocumentsOf } from './client-documents.ts'
import type { OauthClient } from './oauth-client.ts'

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** How long an assertion may be valid, and the leeway for the clock of its client. */
const maxLifetimeSeconds = 3_600
const leewaySeconds = 60

const rejected = (reason: string) => oauthError('invalid_client', `client_assertion ${reason}`, 401)

/** Returns the client that an assertion states, before it is verified. */
export function clientOfAssertion(assertion: string): string {
  const subject = decodeJws(assertion)?.payload['sub']
  if (typeof subject !== 'string' || subject === '' || !isStorable(subject)) {
    throw rejected('has no sub')
  }
  return subject
}

/**
 * Verifies an assertion by which a client authenticates. It is valid once.
 *
 * Its only audience is the issuer. A client takes endpoint URLs from the metadata of each of its
 * authorization servers: a hostile one can state the URLs of this service, and submit the assertion
 * that it receives here (CVE-2025-27370). RFC 9126 §2 permits these URLs, too.
 *
 * @param readAgain returns the client where its metadata document changed, for a signature of a key
 *   that is not known.
 * @throws AuthError `invalid_client` (401).
 * @see RFC 7523 §3
 */
export async function verifyAssertion(
  ctx: AuthContext,
  client: OauthClient,
  assertion: string,
  readAgain: () => Promise<OauthClient | null>,
): Promise<void> {
  const { clock, config, sql } = ctx
  const jws = decodeJws(assertion)
  if (!jws || jws.header['crit'] !== undefined) throw rejected('is not a signed token')
  const { iss, sub, aud, exp, nbf, iat, jti } = jws.payload
  if (iss !== client.clientId || sub !== client.clientId) throw rejected('names another client')
  if (!isAssertionType(jws.header['typ'])) throw rejected('is a token of another type')
  const [audience, ...others] = [aud].flat()
  if (audience !== issuerOf(config) || others.length > 0) {
    throw rejected('must have the issuer as its only audience')
  }
  const now = clock.now().getTime() / 1000
  if (typeof exp !== 'number' || exp <= now - leewaySeconds) throw rejected('is expired')
  if (exp > now + maxLifetimeSeconds + leewaySeconds) throw rejected('is valid for too long')
  for (const since of [nbf, iat]) {
    if (since !== undefined && !(typeof since === 'number' && since <= now + leewaySeconds)) {
      throw rejected('is not valid yet')
    }
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > 500) throw rejected('has no jti')
  if (!(await isSignedByClient(ctx, client, jws))) {
    const changed = await readAgain()
    const isSigned = changed !== null && (await isSignedByClient(ctx, changed, jws))
    if (!isSigned) throw rejected('is not signed by the client')
  }
  const expiresAt = new Date((exp + leewaySeconds) * 1000)
  if (!(await consumeProof(sql, ['assertion', client.clientId, jti], expiresAt))) {
    throw rejected('was used before')
  }
}

/** Whether a JWT of this type may be an assertion: clients sign others, such as proofs of a key. */
const isAssertionType = (type: unknown): boolean =>
  type === undefined ||
  (typeof type === 'string' && /^(?:JWT|client-authentication\+jwt)$/i.test(type))

/** Keys that a client does not publish verify nothing. An overloaded service reports that. */
function unlessOverloaded(error: unknown): null {
  if (error instanceof AuthError && error.status >= 500) throw error
  return null
}

/** The number of keys of a client that may have signed one token. Any client may choose its keys. */
const maxTriedKeys = 4

/**
 * Returns whether one of a client's keys signed a token. The algorithm has to be one of a key pair.
 * Keys that a client publishes are read again where none fits, at most once in a few seconds, and
 * not where reading them has just failed.
 */
async function isSignedByClient(
  ctx: Pick<AuthContext, 'config' | 'clock' | 'clientFetch'>,
  { jwks, jwksUri }: Pick<OauthClient, 'jwks' | 'jwksUri'>,
  jws: DecodedJws,
): Promise<boolean> {
  const algorithm = foreignJwsAlgorithms.find((name) => name === jws.header['alg'])
  const { kid = null } = jws.header
  if (!algorithm || (kid !== null && typeof kid !== 'string')) return false
  const isSignedWith = (set: Record<string, unknown>): boolean => {
    const keys: KeyObject[] = publicKeyReader()(jsonReader(set), { kid, algorithm })
    return keys.slice(0, maxTriedKeys).some((key) => isSignedBy({ algorithm, key }, jws))
  }
  if (jwks) return isSignedWith(jwks as unknown as Record<string, unknown>)
  if (!jwksUri) return false
  const documents = clientDocumentsOf(ctx)
  for (const isNew of [false, true]) {
    const set = await documents
      .read(ctx.clock, jwksUri, { isNew, remembersFailure: isNew })
      .catch(unlessOverloaded)
    if (set && isSignedWith(set)) return true
  }
  return false
}
