import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createTestDatabase } from '../support/database.ts'
import type { Answer, RequestOptions } from '../support/test-auth.ts'
import { peakMemoryMib, startSmallServer } from './small-server.ts'

/** How long, and only on demand: `FLOOD_SECONDS=600 npm run test:floods -- test/floods/mixed`. */
const seconds = Number(process.env['FLOOD_SECONDS'] ?? 0)
const heapMib = 256
const password = 'correct horse'
const attacker = '198.51.100.66'
const from = (ip: string) => ({ 'x-client': ip })

it.runIf(seconds > 0)(
  `every flood at once for ${seconds} s, mixed with honest people, in ${heapMib} MiB`,
  async () => {
    const database = await createTestDatabase()
    const server = await startSmallServer(database.url, {
      heapMib,
      env: {
        AUTH_RATE_LIMIT_HEADER: 'X-Client',
        // What hashing costs by default: floods of it are the point.
        AUTH_PASSWORD_HASH_MEMORY_KIB: '19456',
        AUTH_PASSWORD_HASH_ITERATIONS: '2',
      },
    })
    const until = performance.now() + seconds * 1000
    const isOver = () => performance.now() > until
    const send = (method: string, path: string, options: RequestOptions) =>
      ask(server.url, method, path, options)
    const counts: Record<string, Record<number, number>> = {}

    /** An attack, so many at a time, for as long as it takes. What it gets is of no matter. */
    const flood = (name: string, width: number, one: (index: number) => Promise<number>) => {
      const statuses: Record<number, number> = {}
      counts[name] = statuses
      let index = 0
      const attack = async () => {
        while (!isOver()) {
          index += 1
          const status = await one(index).catch(() => 0)
          statuses[status] = (statuses[status] ?? 0) + 1
          if (status === 0) await sleep(20)
        }
      }
      return Promise.all(Array.from({ length: width }, attack))
    }
    const attack = async (method: string, path: string, body: unknown, ip = attacker) =>
      (await send(method, path, { body, headers: from(ip) })).status

    const bigMetadata = { filler: 'x'.repeat(900_000) }
    const manyKeys = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, key) => [`k${key}`, key]),
    )
    const rotating = (index: number) => `198.51.${(index >> 8) & 255}.${index & 255}`
    const port = Number(new URL(server.url).port)
    const floods = [
      flood('H16 metadata of a megabyte', 2, (index) =>
        attack('POST', '/signup', { email: `big${index}@x.test`, password, data: bigMetadata }),
      ),
      flood('H18 many keys', 2, () => attack('POST', '/token?grant_type=password', manyKeys)),
      flood('H18 a long token', 2, () =>
        attack('POST', '/token?grant_type=refresh_token', { refresh_token: 'x'.repeat(900_000) }),
      ),
      flood('H20 bodies in drops', 100, () => drip(port)),
      flood('H21 sign-ups of one address', 10, () =>
        attack('POST', '/signup', { email: 'one@x.test', password }),
      ),
      flood('H22 wrong passwords', 20, (index) =>
        attack('POST', '/token?grant_type=password', {
          email: `n${index}@x.test`,
          password: 'wrong',
        }),
      ),
      flood('H22 wrong passwords, many clients', 5, (index) =>
        attack(
          ...['POST', '/token?grant_type=password'],
          { email: `m${index}@x.test`, password: 'wrong' },
          rotating(index),
        ),
      ),
      flood('H23 recoveries of nobody', 5, (index) =>
        attack('POST', '/recover', { email: `r${index}@x.test` }, rotating(index)),
      ),
    ]

    const refreshTimes: number[] = []
    const lost: string[] = []
    /** Somebody who signs up, refreshes and looks at themselves, well within all limits. */
    const live = async (index: number) => {
      const headers = from(`203.0.113.${index + 1}`)
      const expectOk = (what: string, answer: Answer) => {
        if (answer.status !== 200)
          lost.push(`${what}: ${answer.status} ${answer.text.slice(0, 80)}`)
        return answer.body
      }
      const email = `honest${index}@example.test`
      let session = expectOk(
        'sign-up',
        await send('POST', '/signup', { body: { email, password }, headers }),
      )
      while (!isOver() && session?.refresh_token) {
        await sleep(2_500)
        const since = performance.now()
        const answer = await send('POST', '/token?grant_type=refresh_token', {
          body: { refresh_token: session.refresh_token },
          headers,
        })
        refreshTimes.push(performance.now() - since)
        session = expectOk('refresh', answer)
        expectOk('user', await send('GET', '/user', { token: session?.access_token, headers }))
        if (index % 5 === 0) {
          const body = { email, password }
          const path = '/token?grant_type=password'
          session = expectOk('sign-in', await send('POST', path, { body, headers }))
        }
      }
    }
    await Promise.all([...floods, ...Array.from({ length: 20 }, (_, index) => live(index))])

    const sorted = refreshTimes.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0)
    const peak = await peakMemoryMib(server)
    console.info(
      `refresh: ${sorted.length}, median ${at(0.5)} ms, p99 ${at(0.99)} ms; peak ${peak} MiB; ` +
        `lost: ${JSON.stringify(lost.slice(0, 5))} of ${lost.length}\n${JSON.stringify(counts, null, 1)}`,
    )
    const alive = await send('GET', '/health', {})
    await server.stop()
    await database.drop()
    expect(alive.status).toBe(200)
    expect(lost).toEqual([])
  },
  (seconds + 120) * 1000,
)

/** A request whose body comes a letter at a time, until its answer; 0 where the connection ends before. */
const drip = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const dripping = setInterval(() => socket.write('x'), 500)
    let status = 0
    socket
      .on('error', () => {})
      .on('data', (answer) => {
        status = Number(String(answer).slice(9, 12))
      })
    socket.on('close', () => {
      clearInterval(dripping)
      resolve(status)
    })
    socket.write('POST /signup HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n{"email":"')
  })
