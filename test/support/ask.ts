import { createHmac } from 'node:crypto'
import { type Answer, type RequestOptions, testSecret } from './test-auth.ts'

/** Sends one request over HTTP. */
export async function ask(
  url: string,
  method: string,
  path: string,
  { body, token, headers }: RequestOptions = {},
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  const parsed: unknown = isJson ? JSON.parse(text) : undefined
  return { status: answer.status, headers: answer.headers, text, body: parsed }
}

/** Creates an operator's token by hand, with the shared secret. */
export function serviceToken(role = 'service_role', secret = testSecret): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 600
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role, exp })}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
