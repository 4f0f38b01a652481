import { createHash } from 'node:crypto'
import type { Heard } from '../web-server.ts'
import { clientId } from './fake-provider.ts'

/** The values that a code is bound to. */
export interface Agreement {
  redirectUri: string
  codeChallenge: string | null
  nonce: string | null
}

/** Returns how the client authenticated; null if it did not. */
export function provenBy(
  { headers }: Heard,
  body: URLSearchParams,
  isSecret: (secret: string) => boolean,
): 'basic' | 'body' | null {
  const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  if (encoded !== undefined) {
    const parts = Buffer.from(encoded, 'base64').toString().split(':')
    const [user, password] = parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    return user === clientId && isSecret(password ?? '') ? 'basic' : null
  }
  const isProven = body.get('client_id') === clientId && isSecret(body.get('client_secret') ?? '')
  return isProven ? 'body' : null
}

/** Returns whether a token request matches the redirect URI and verifier of its code. */
export function isBound({ redirectUri, codeChallenge }: Agreement, body: URLSearchParams): boolean {
  const challenge = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url')
  return (
    body.get('grant_type') === 'authorization_code' &&
    body.get('redirect_uri') === redirectUri &&
    (codeChallenge === null ? !body.has('code_verifier') : challenge === codeChallenge)
  )
}
