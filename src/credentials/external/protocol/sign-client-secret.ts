import { createPrivateKey } from 'node:crypto'
import type { ClientSigningKey } from '../../../platform/config/sections/provider-definition.ts'
import { signJws } from '../../../platform/kit/jws.ts'

const lifetimeSeconds = 5 * 60

/**
 * Signs a client secret: a JWT that authenticates the client for five minutes.
 *
 * @see
 *   https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export function signClientSecret(
  { teamId, keyId, privateKey }: ClientSigningKey,
  { clientId, audience, now }: { clientId: string; audience: string; now: Date },
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return signJws(
    { algorithm: 'ES256', key: createPrivateKey(privateKey) },
    { kid: keyId },
    { iss: teamId, sub: clientId, aud: audience, iat: issuedAt, exp: issuedAt + lifetimeSeconds },
  )
}
