import { createHmac } from 'node:crypto'
import { startServer } from '../../test/support/server-process.ts'
import { testSecret } from '../../test/support/test-auth.ts'

/** The members of responses that requests of a measurement use. */
export interface WireSession {
  access_token: string
  refresh_token: string
  user: { id: string }
}

/** A process of `latchkey serve` with hashes of the lowest cost, and requests to it. */
export interface Served {
  serviceToken: string
  post(path: string, body: object): Promise<WireSession>
  get(path: string, headers: Record<string, string>): Promise<unknown>
  stop(): Promise<unknown>
}

export async function startServed(databaseUrl: string): Promise<Served> {
  const { url, stop } = await startServer(databaseUrl, { AUTH_RATE_LIMIT_HEADER: 'x-client' })
  let sent = 0
  const ask = async (path: string, init: RequestInit) => {
    sent += 1
    // No limit per client is reached.
    const client = `10.${(sent >> 14) & 255}.${(sent >> 7) & 127}.${sent & 127}`
    const response = await fetch(url + path, {
      ...init,
      headers: { ...init.headers, 'x-client': client },
    })
    const body = (await response.json()) as WireSession
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`)
    return body
  }
  return {
    serviceToken: serviceToken(),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    get: (path, headers) => ask(path, { headers }),
    stop,
  }
}

function serviceToken(): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { role: 'service_role', exp: Math.floor(Date.now() / 1000) + 7_200 }
  const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${input}.${createHmac('sha256', testSecret).update(input).digest('base64url')}`
}
