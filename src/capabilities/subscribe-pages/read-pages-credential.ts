import type { H3Event } from 'h3'
import { parseBearer } from '../../platform/http/request-like.ts'
import { isSameSecret, sha256Hex } from '../../platform/kit/digest.ts'
import { noSession } from './pages-error.ts'

/** The credential of a request: the hash of a session key, or an access token of the service. */
export type Credential = { keyHash: string } | { token: string }

/**
 * Reads the credential of a request; null without one of a valid form.
 *
 * A session key is the header `php-auth-pw`, or the password of HTTP Basic with any user name.
 *
 * @throws SubscribePagesError 403 if header and `Authorization` contain different credentials,
 *   since a proxy could authenticate the one and this service the other.
 */
export function readCredential({ req: { headers } }: H3Event): Credential | null {
  const authorization = headers.get('authorization')
  const token = parseBearer(authorization)
  const header = given(headers.get('php-auth-pw'))
  const password = given(passwordOf(authorization))
  if (header !== null && token !== null) throw noSession()
  if (header !== null && password !== null && !isSameSecret(header, password)) throw noSession()
  if (token !== null) return { token }
  const key = header ?? password
  return key !== null && keyForm.test(key) ? { keyHash: sha256Hex(key) } : null
}

const keyForm = /^[0-9a-f]{32}$/

/** Returns null for an empty key and for `0`, which clients send without a key. */
const given = (key: string | null): string | null => (key === '' || key === '0' ? null : key)

const scheme = 'basic '

/** @see RFC 7617 §2 */
function passwordOf(authorization: string | null): string | null {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) return null
  const pair = Buffer.from(authorization.slice(scheme.length).trim(), 'base64').toString()
  const colon = pair.indexOf(':')
  return colon === -1 ? null : pair.slice(colon + 1)
}
