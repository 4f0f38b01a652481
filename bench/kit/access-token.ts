import { createHmac } from 'node:crypto'
import { emailOf, secret, sessionIdOf, userIdOf } from './people.ts'

/** Returns an access token of user `n`, as Latchkey and the floor issue them: a JWT with HS256. */
export const accessTokenOf = (n: number): string => sign(accessTokenClaimsOf(n))

/** Returns a token for administration. */
export const serviceToken = (): string =>
  sign({ role: 'service_role', exp: Math.floor(Date.now() / 1000) + 3600 })

export function accessTokenClaimsOf(n: number): object {
  const now = Math.floor(Date.now() / 1000)
  return {
    sub: userIdOf(n),
    aud: 'authenticated',
    role: 'authenticated',
    email: emailOf(n),
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { email: emailOf(n), email_verified: true, phone_verified: false },
    aal: 'aal1',
    amr: [{ method: 'password', timestamp: now }],
    session_id: sessionIdOf(n),
    is_anonymous: false,
    exp: now + 3600,
    iat: now,
  }
}

function sign(claims: object): string {
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
