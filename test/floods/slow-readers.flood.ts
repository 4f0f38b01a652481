import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { testPassword } from '../support/test-auth.ts'
import { serviceToken } from './service-token.ts'
import { memoryMib, peakMemoryMib, startSmallServer } from './small-server.ts'

/** The number of clients that request a page of a mebibyte and do not read it. */
const count = 480
const maxGrowthMib = 100
const maxHeldMs = 50

let database: TestDatabase
let server: ServerProcess

beforeEach(async () => {
  database = await createTestDatabase()
  server = await startSmallServer(database.url, {
    heapMib: 256,
    nodeOptions: `--import ${fileURLToPath(new URL('./loop-watch.mjs', import.meta.url))}`,
    env: { AUTH_RATE_LIMIT_HEADER: 'X-Client', AUTH_SUBSCRIBE_PAGES_ENABLED: 'true' },
  })
})
afterEach(async () => {
  await server?.stop()
  await database?.drop()
})

/** Creates a public page of almost a mebibyte. */
async function createLargePage(): Promise<number> {
  const email = 'operator@example.test'
  await ask(server.url, 'POST', '/admin/users', {
    token: serviceToken(),
    body: { email, password: testPassword, email_confirm: true, role: 'supabase_admin' },
  })
  const { body: session } = await ask(server.url, 'POST', '/sessions', {
    body: { login_name: email, password: testPassword },
  })
  const data = Array.from({ length: 16 }, (_, index) => ({
    key: `k${index}`,
    value: 'x'.repeat(64_000),
  }))
  const page = await ask(server.url, 'POST', '/subscribe-pages', {
    headers: { 'php-auth-pw': session.key },
    body: { title: 'News', active: true, data },
  })
  expect(page.status).toBe(201)
  return page.body.id
}

interface Reader {
  socket: Socket
  /** The first bytes of the response. */
  start: string
}

/** Requests the page, and stops reading after the first bytes of the response. */
function readSlowly(path: string, client: string): Reader {
  const { port, hostname } = new URL(server.url)
  const socket = connect({ port: Number(port), host: hostname })
  const reader: Reader = { socket, start: '' }
  socket.setEncoding('latin1').on('error', () => {})
  socket.once('data', (part: string) => {
    reader.start = part.slice(0, 64)
    socket.pause()
  })
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-client: ${client}\r\n\r\n`)
  return reader
}

describe(`S31: ${count} slow readers of a public page of a mebibyte`, () => {
  it.each([
    ['one client', () => '198.51.100.66', 429],
    ['a client each', (index: number) => `198.51.${100 + (index >> 8)}.${index & 255}`, 200],
  ])('from %s cost little memory and time', async (name, clientOf, usualStatus) => {
    const path = `/subscribe-pages/${await createLargePage()}`
    for (let index = 0; index < 5; index += 1) {
      await ask(server.url, 'GET', path, { headers: { 'x-client': `192.0.2.${index}` } })
    }
    await sleep(500)
    const before = (await memoryMib(server)) ?? 0
    const logged = server.log().length

    const readers: Reader[] = []
    for (let index = 0; index < count; index += 1) {
      readers.push(readSlowly(path, clientOf(index)))
      if (index % 60 === 59) await sleep(50)
    }
    for (let wait = 0; wait < 100 && readers.some(({ start }) => start === ''); wait += 1) {
      await sleep(100)
    }
    const honest = await ask(server.url, 'GET', path, { headers: { 'x-client': '203.0.113.1' } })
    await sleep(1_000)

    const growthMib = ((await peakMemoryMib(server)) ?? 0) - before
    const heldMs = Math.max(
      ...server
        .log()
        .slice(logged)
        .map((line) => Number(line['heldMs'] ?? 0)),
    )
    const statuses = readers.map(({ start }) => Number(start.slice(9, 12)))
    for (const { socket } of readers) socket.destroy()
    console.info({ name, before, growthMib, heldMs, statuses: new Set(statuses) })
    expect(honest.status).toBe(200)
    expect(statuses.filter((status) => status === usualStatus).length).toBeGreaterThan(count / 2)
    expect(growthMib).toBeLessThanOrEqual(maxGrowthMib)
    expect(heldMs).toBeLessThanOrEqual(maxHeldMs)
  })
})
