import { createHmac } from 'node:crypto'
import { testSecret } from '../support/test-auth.ts'

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Returns an operator's token of the service under flood. */
export function serviceToken(): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { role: 'service_role', iat: now, exp: now + 600 }
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', testSecret).update(input).digest('base64url')}`
}
