import { createHmac } from 'node:crypto'

export const cookieName = '__Host-latchkey-session'

/**
 * Returns the cookie as it is an hour later, with an expired access token.
 *
 * @param {string} value
 * @param {string} jwtSecret
 */
export function withExpiredToken(value, jwtSecret) {
  const [count, sessionId, refreshToken, header, payload = ''] = value.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const exp = Math.floor(Date.now() / 1000) - 10
  const expired = Buffer.from(JSON.stringify({ ...claims, exp })).toString('base64url')
  const signed = `${header}.${expired}`
  const signature = createHmac('sha256', jwtSecret).update(signed).digest('base64url')
  return [count, sessionId, refreshToken, signed, signature].join('.')
}
