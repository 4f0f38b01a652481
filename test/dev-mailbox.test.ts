import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type DevProcess, startDev } from './support/dev-process.ts'
import { sendRaw } from './support/raw-http.ts'
import { type ReadMailbox, readMailbox } from './support/read-mailbox.ts'
import { startServer } from './support/server-process.ts'

const path = '/_latchkey/mail'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** Processes start in two seconds, or in twelve on a busy machine. */
const patience = { timeout: 180_000 }

describe('rule 15: the mailbox of latchkey dev', patience, () => {
  let server: DevProcess
  let mailbox: ReadMailbox
  beforeAll(async () => {
    server = await startDev({ env: { DATABASE_URL: database.url } })
    mailbox = await readMailbox(server.mailboxUrl)
  }, patience.timeout)
  afterAll(() => server?.stop())

  /** Returns the status for a client of this machine with the token. */
  async function statusWith(headers: Record<string, string>, at = path) {
    const port = Number(new URL(server.url).port)
    const all = { host: `127.0.0.1:${port}`, ...mailbox.headers, ...headers, connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    const { statuses, text } = await sendRaw(
      port,
      `GET ${at} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`,
    )
    expect(text).not.toMatch(/access-control-/i)
    return statuses
  }

  it('opens with the printed token', async () => {
    expect(await statusWith({})).toEqual([200])
    expect((await fetch(server.mailboxUrl, { redirect: 'manual' })).status).toBe(303)
  })

  it.each([
    ['a foreign name for this machine', { host: 'evil.test' }],
    ['a script of another site', { origin: 'https://evil.test' }],
    ['a script of another port', { origin: 'http://127.0.0.1:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['a tunnel', { 'x-forwarded-for': '203.0.113.7' }],
    ['a tunnel under its own name', { 'x-forwarded-host': 'abc.tunnel.test' }],
  ])('does not exist for %s', async (_case, headers) => {
    expect(await statusWith(headers)).toEqual([404])
    expect(await statusWith(headers, `${path}/events`)).toEqual([404])
    expect(await statusWith(headers, `${path}${new URL(server.mailboxUrl).search}`)).toEqual([404])
  })

  it('rejects requests without the token', async () => {
    expect(await statusWith({ cookie: '' })).toEqual([401])
    expect(await statusWith({ cookie: '' }, `${path}?token=${'0'.repeat(32)}`)).toEqual([401])
  })

  it('is unreachable at another address, where the server does not listen', async () => {
    const { port } = new URL(server.url)
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
    // 127.0.0.2 is this machine too, and on Linux always available.
    for (const { address } of [...others, { address: '127.0.0.2' }]) {
      await expect(fetch(`http://${address}:${port}/health`)).rejects.toThrow()
    }
  })

  it('has a new token at each start', async () => {
    const other = await startDev({ env: { DATABASE_URL: database.url } })
    await other.stop()

    const tokenOf = (url: string) => new URL(url).searchParams.get('token')
    expect(tokenOf(other.mailboxUrl)).toMatch(/^[0-9a-f]{32}$/)
    expect(tokenOf(other.mailboxUrl)).not.toBe(tokenOf(server.mailboxUrl))
  })
})

describe('latchkey dev with the mailbox open in a browser', patience, () => {
  it('stops at once, and logs no background request of the page', async () => {
    const server = await startDev({ env: { DATABASE_URL: database.url, AUTH_LOG_LEVEL: 'info' } })
    const { url, headers } = await readMailbox(server.mailboxUrl)
    const events = await fetch(`${url}/events`, { headers })
    const received = events.text()
    await ask(server.url, 'GET', '/settings')
    const startedAt = performance.now()
    const { code } = await server.stop()

    expect(await received).toContain('id: none')
    expect(code).toBe(0)
    // An event stream ends after fifteen seconds.
    expect(performance.now() - startedAt).toBeLessThan(14_000)
    expect(server.output()).toContain('"route":"/settings"')
    expect(server.output()).not.toContain('"route":"/_latchkey')
  })
})

describe('latchkey dev with a mail server', patience, () => {
  it('contains text messages only, and states it', async () => {
    const smtp = {
      AUTH_SMTP_HOST: '127.0.0.1',
      AUTH_SMTP_PORT: '1',
      AUTH_SMTP_ADMIN_EMAIL: 'a@b.test',
    }
    const server = await startDev({ env: { DATABASE_URL: database.url, ...smtp } })
    const { url, headers } = await readMailbox(server.mailboxUrl)
    const page = await (await fetch(url, { headers })).text()
    await server.stop()

    expect(server.output()).toContain('It shows text messages here instead of sending them:')
    expect(page).toContain('Text messages show up here. Mails are sent')
  })
})

describe('latchkey serve', patience, () => {
  it('has no mailbox', async () => {
    const server = await startServer(database.url)
    const answer = await ask(server.url, 'GET', path)
    await server.stop()

    expect([answer.status, answer.body.error_code]).toEqual([404, 'not_found'])
    expect(server.output()).not.toContain('_latchkey')
  })
})
