import type { KeyObject } from 'node:crypto'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { jsonReader } from '../../credentials/external/protocol/json-reader.ts'
import { publicKeyReader } from '../../credentials/external/protocol/public-keys.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type DecodedJws, foreignJwsAlgorithms, isSignedBy } from '../../platform/kit/jws.ts'
import { clientDocumentsOf } from './client-documents.ts'
import type { OauthClient } from './oauth-client.ts'

/** Keys that a client does not publish verify nothing. An overloaded service reports that. */
function unlessOverloaded(error: unknown): null {
  if (error instanceof AuthError && error.status >= 500) throw error
  return null
}

/**
 * Returns whether one of a client's keys signed a token. The algorithm has to be one of a key pair.
 * Keys that a client publishes are read again where none fits, at most once in a few seconds.
 */
export async function isSignedByClient(
  ctx: Pick<AuthContext, 'config' | 'clock' | 'clientFetch'>,
  { jwks, jwksUri }: Pick<OauthClient, 'jwks' | 'jwksUri'>,
  jws: DecodedJws,
): Promise<boolean> {
  const algorithm = foreignJwsAlgorithms.find((name) => name === jws.header['alg'])
  const { kid = null } = jws.header
  if (!algorithm || (kid !== null && typeof kid !== 'string')) return false
  const isSignedWith = (set: Record<string, unknown>): boolean => {
    const keys: KeyObject[] = publicKeyReader()(jsonReader(set), { kid, algorithm })
    return keys.some((key) => isSignedBy({ algorithm, key }, jws))
  }
  if (jwks) return isSignedWith(jwks as unknown as Record<string, unknown>)
  if (!jwksUri) return false
  const documents = clientDocumentsOf(ctx)
  for (const isNew of [false, true]) {
    const set = await documents.read(ctx.clock, jwksUri, { isNew }).catch(unlessOverloaded)
    if (set && isSignedWith(set)) return true
  }
  return false
}
