import { createHmac, randomBytes } from 'node:crypto'

/**
 * The client's credentials, and those issued with the token once there is one. @see RFC 5849 §1.1
 */
export interface Oauth1Credentials {
  clientId: string
  clientSecret: string
  token?: string
  /** Empty where the secret of the token is unknown. */
  tokenSecret?: string
}

interface Signed {
  method: 'GET' | 'POST'
  url: string
  /** Additional protocol parameters, such as `oauth_callback`. */
  parameters?: Readonly<Record<string, string>>
  now: Date
  /** Default: 16 random bytes. */
  nonce?: string
}

/**
 * Returns the `Authorization` header of a request without a body, signed with HMAC-SHA1.
 *
 * @see RFC 5849 §3
 */
export function oauth1Header(
  { clientId, clientSecret, token, tokenSecret = '' }: Oauth1Credentials,
  { method, url, parameters, now, nonce = randomBytes(16).toString('hex') }: Signed,
): string {
  const protocol = {
    ...parameters,
    oauth_consumer_key: clientId,
    oauth_nonce: nonce,
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(now.getTime() / 1000)),
    ...(token === undefined ? {} : { oauth_token: token }),
    oauth_version: '1.0',
  }
  const key = `${encode(clientSecret)}&${encode(tokenSecret)}`
  const signature = createHmac('sha1', key)
    .update(signatureBase(method, new URL(url), protocol))
    .digest('base64')
  const members = Object.entries({ ...protocol, oauth_signature: signature })
  return `OAuth ${members.map(([name, value]) => `${encode(name)}="${encode(value)}"`).join(', ')}`
}

/** @see RFC 5849 §3.4.1 */
function signatureBase(method: string, url: URL, protocol: Record<string, string>): string {
  const all = [...url.searchParams, ...Object.entries(protocol)]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([name, value], [other, otherValue]) =>
      name === other ? compare(value, otherValue) : compare(name, other),
    )
  const normalized = all.map(([name, value]) => `${name}=${value}`).join('&')
  return [method, `${url.origin}${url.pathname}`, normalized].map(encode).join('&')
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** @see RFC 5849 §3.6 */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
