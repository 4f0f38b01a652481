import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { secret } from '../kit/people.ts'

const key = createSecretKey(secret, 'utf8')

const mac = (text: string): Buffer => createHmac('sha256', key).update(text).digest()

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

const header = encode({ alg: 'HS256', typ: 'JWT' })

export interface Claims {
  sub: string
  session_id: string
  exp: number
}

export function signClaims(claims: object): string {
  const input = `${header}.${encode(claims)}`
  return `${input}.${mac(input).toString('base64url')}`
}

/** Returns null for a foreign or expired token. */
export function readClaims(token: string): Claims | null {
  const end = token.lastIndexOf('.')
  const payload = token.slice(token.indexOf('.') + 1, end)
  if (!isMacOf(token.slice(0, end), token.slice(end + 1))) return null
  const claims: Claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return claims.exp > Date.now() / 1000 ? claims : null
}

/** Returns a refresh token, which contains the session and the number of its earlier refreshes. */
export function refreshTokenOf(sessionId: string, counter: number): string {
  const body = `${sessionId}.${counter}`
  return `${body}.${mac(body).toString('base64url')}`
}

export function readRefreshToken(token: string): { sessionId: string; counter: number } | null {
  const [sessionId = '', counter = '', signature = ''] = token.split('.')
  return isMacOf(`${sessionId}.${counter}`, signature)
    ? { sessionId, counter: Number(counter) }
    : null
}

function isMacOf(text: string, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url')
  const expected = mac(text)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
