import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** A heap that these requests would fill if all of them were served at once. */
const heapMib = 160
const connections = 16
const streams = 1000
const script = fileURLToPath(new URL('./own-server.mjs', import.meta.url))

let database: TestDatabase
let server: ChildProcess
let url: string

beforeEach(async () => {
  database = await createTestDatabase()
  server = spawn(process.execPath, [`--max-old-space-size=${heapMib}`, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: database.url, SECRET: randomBytes(32).toString('hex') },
  })
  const [port] = await once(createInterface(server.stdout as NodeJS.ReadableStream), 'line')
  url = `http://127.0.0.1:${port}`
})
afterEach(async () => {
  if (server.exitCode === null && server.signalCode === null) {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  await database.drop()
})

interface Sent {
  method?: string
  path: string
  from: string
  token?: string
  body?: object
}

/** Sends a request as a stream of a connection. */
async function send(
  session: ClientHttp2Session,
  { method = 'GET', path, from, token, body }: Sent,
): Promise<{ status: number; body: string }> {
  const stream = session.request({
    ':method': method,
    ':path': path,
    'x-client': from,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  })
  stream.end(body && JSON.stringify(body))
  const [headers] = await once(stream, 'response')
  return { status: headers[':status'], body: await text(stream) }
}

describe(`S117: ${connections * streams} simultaneous requests over HTTP/2 to a server of a host`, () => {
  it(`take part of ${heapMib} MiB, and exclude no other client`, async () => {
    const attackers = Array.from({ length: connections }, () => connect(url))
    const honest = connect(url)
    const signUp = async (email: string): Promise<string> => {
      const body = { email, password: 'correct horse' }
      const from = '203.0.113.1'
      const session = await send(honest, { method: 'POST', path: '/signup', body, from })
      return JSON.parse(session.body).access_token
    }
    const stolen = await signUp('ada@example.test')
    const token = await signUp('grace@example.test')

    const flood = attackers.flatMap((attacker) =>
      Array.from({ length: streams }, () =>
        send(attacker, { path: '/user', token: stolen, from: '198.51.100.66' }),
      ),
    )
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(honest, { path: '/user', token, from: `203.0.113.${index}` }),
      ),
    )
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    const afterwards = await send(honest, { path: '/user', token, from: '203.0.113.1' })
    for (const session of [...attackers, honest]) session.close()

    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(afterwards.status).toBe(200)
    expect(server.exitCode ?? server.signalCode).toBeNull()
  })
})
