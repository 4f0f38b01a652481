import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxLargeBodyBytes } from '../../src/platform/http/body-limit.ts'
import { ask } from '../support/ask.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { memoryMib, peakMemoryMib, startSmallServer } from './small-server.ts'

/** The number of requests that send a body of a mebibyte without its last byte. */
const count = 480
const maxGrowthMib = 100
const maxHeldMs = 50
const mebibyte = 1_048_576

let database: TestDatabase
let server: ServerProcess

beforeEach(async () => {
  database = await createTestDatabase()
})
const start = async (env: Record<string, string> = {}) => {
  const watch = fileURLToPath(new URL('./loop-watch.mjs', import.meta.url))
  server = await startSmallServer(database.url, {
    heapMib: 256,
    nodeOptions: `--import ${watch}`,
    env: { AUTH_RATE_LIMIT_HEADER: 'X-Client', ...env },
  })
}
afterEach(async () => {
  await server?.stop()
  await database?.drop()
})

interface Held {
  socket: Socket
  /** Settles once the system has accepted all but the last byte, or the connection has ended. */
  sent: Promise<unknown>
  answer: string
}

interface Flood {
  request: string
  /** The bearer token, where the endpoint requires one. */
  token?: string | undefined
  clientOf(index: number): string
  /** Default: a mebibyte. */
  bytes?: number
}

/** Sends a request without the last byte of its body. */
function hold({ request, token }: Flood, client: string, body: Buffer): Held {
  const { port, hostname } = new URL(server.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  const held: Held = { socket, sent: Promise.resolve(), answer: '' }
  socket.setEncoding('latin1').on('data', (part: string) => {
    held.answer += part
  })
  socket.on('error', () => {}).on('end', () => socket.end())
  socket.write(
    `${request} HTTP/1.1\r\nhost: a\r\nx-client: ${client}\r\ncontent-type: application/json\r\n` +
      `${token ? `authorization: Bearer ${token}\r\n` : ''}` +
      `content-length: ${body.length}\r\n\r\n`,
  )
  held.sent = Promise.race([
    new Promise((resolve) => socket.write(body.subarray(0, -1), resolve)),
    once(socket, 'close'),
  ]).catch(() => {})
  return held
}

const statusOf = ({ answer }: Held): number => Number(answer.slice(9, 12))

const bodyOf = (bytes: number): Buffer => {
  const frame = JSON.stringify({ email: 'a@x.test', password: 'correct horse', data: { a: '' } })
  return Buffer.from(frame.replace('"a":""', `"a":"${'x'.repeat(bytes - frame.length)}"`))
}

const countsOf = (statuses: number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(statuses)].map((one) => [one, statuses.filter((other) => other === one).length]),
  )

/** Sends the flood, and returns its cost and the response times of another client. */
async function measure({ bytes = mebibyte, ...flood }: Flood) {
  await sleep(500)
  const before = (await memoryMib(server)) ?? 0
  const logged = server.log().length
  const body = bodyOf(bytes)

  const held: Held[] = []
  for (let index = 0; index < count; index += 1) {
    held.push(hold(flood, flood.clientOf(index), body))
    if (index % 60 === 59)
      await Promise.race([Promise.all(held.map(({ sent }) => sent)), sleep(500)])
  }
  await Promise.race([Promise.all(held.map(({ sent }) => sent)), sleep(5_000)])
  for (const { socket } of held) socket.write('}')
  const honest = await signUp('ada@example.test', '203.0.113.1')
  for (let wait = 0; wait < 100 && held.some((one) => statusOf(one) === 0); wait += 1) {
    await sleep(200)
  }

  const growthMib = ((await peakMemoryMib(server)) ?? 0) - before
  const heldMs = Math.max(
    ...server
      .log()
      .slice(logged)
      .map((line) => Number(line['heldMs'] ?? 0)),
  )
  for (const { socket } of held) socket.destroy()
  const statuses = countsOf(held.map(statusOf))
  console.info({ ...flood, bytes, token: undefined, before, growthMib, heldMs, statuses })
  return { growthMib, heldMs, statuses, honest: honest.status }
}

const signUp = (email: string, client: string) =>
  ask(server.url, 'POST', '/signup', {
    body: { email, password: 'correct horse' },
    headers: { 'x-client': client },
  })

/** Warms up the server: its code is compiled, and its connections to the database are opened. */
async function warmUp(): Promise<void> {
  for (let index = 0; index < 20; index += 1) {
    await signUp(`warm${index}@x.test`, `192.0.2.${index}`)
  }
}

const oneClient = () => '198.51.100.66'
const manyClients = (index: number) => `198.51.${100 + (index >> 8)}.${index & 255}`

const expectHarmless = ({ growthMib, heldMs, statuses }: Awaited<ReturnType<typeof measure>>) => {
  expect(Object.keys(statuses).filter((status) => status < '400' || status === '500')).toEqual([])
  expect(growthMib).toBeLessThanOrEqual(maxGrowthMib)
  expect(heldMs).toBeLessThanOrEqual(maxHeldMs)
}

describe(`S14: ${count} bodies of a mebibyte, the last byte of all at once`, () => {
  it('sent to /signup by one client cost little memory and time, and most get 429', async () => {
    await start()
    await warmUp()

    const measured = await measure({ request: 'POST /signup', clientOf: oneClient })

    expect(measured).toMatchObject({ honest: 200 })
    expectHarmless(measured)
    expect(measured.statuses[429]).toBeGreaterThan(count / 2)
  })

  it.each([
    ['POST /signup', false],
    ['POST /token?grant_type=password', false],
    ['POST /verify', false],
    ['POST /otp', false],
    ['PUT /user', true],
    ['POST /logout', true],
  ])('sent to %s by a client each cost little memory and time', async (request, isSignedIn) => {
    await start()
    await warmUp()
    const session = await signUp('mallory@x.test', '192.0.2.99')
    const token = isSignedIn ? session.body.access_token : undefined

    const measured = await measure({ request, token, clientOf: manyClients })

    expect(measured).toMatchObject({ honest: 200 })
    expectHarmless(measured)
  })

  it.each(['POST /signup', 'POST /otp', 'POST /token?grant_type=web3'])(
    'of the largest size that %s accepts, by a client each, cost little memory and time',
    async (request) => {
      await start()
      await warmUp()

      const measured = await measure({ request, clientOf: manyClients, bytes: maxLargeBodyBytes })

      expect(measured).toMatchObject({ honest: 200 })
      expectHarmless(measured)
    },
  )

  it('sent to /signup with captchas cost little memory and time', async () => {
    await start({
      AUTH_SECURITY_CAPTCHA_ENABLED: 'true',
      AUTH_SECURITY_CAPTCHA_PROVIDER: 'turnstile',
      AUTH_SECURITY_CAPTCHA_SECRET: 'a secret of the provider',
    })
    await warmUp()

    const measured = await measure({ request: 'POST /signup', clientOf: manyClients })

    expectHarmless(measured)
  })
})
