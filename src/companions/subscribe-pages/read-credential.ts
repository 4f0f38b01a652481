import type { H3Event } from 'h3'
import { parseBearer } from '../../platform/http/request-like.ts'
import { isSameSecret, sha256Hex } from '../../platform/kit/digest.ts'
import { noSession } from './pages-error.ts'

/** What a request came with: a session key, of which the hash is known, or an access token of the service. */
export type Credential = { keyHash: string } | { token: string }

/**
 * What a request says about who sends it; null where it says nothing that could be right.
 *
 * A session key is the header `php-auth-pw`, or the password of HTTP Basic under any user name.
 *
 * @throws SubscribePagesError 403 where header and `Authorization` say different things: two readers would believe different ones.
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

/** An empty one, or `0`, is none. */
const given = (key: string | null): string | null => (key === '' || key === '0' ? null : key)

const scheme = 'basic '

/** @see RFC 7617 §2 */
function passwordOf(authorization: string | null): string | null {
  if (authorization?.slice(0, scheme.length).toLowerCase() !== scheme) return null
  const pair = Buffer.from(authorization.slice(scheme.length).trim(), 'base64').toString()
  const colon = pair.indexOf(':')
  return colon === -1 ? null : pair.slice(colon + 1)
}
