import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import {
  type Afterwards,
  type FrozenServer,
  startFrozenServer,
} from './support/freezing/frozen-server.ts'
import { startCollector } from './support/otlp-collector.ts'
import { environmentFor } from './support/server-process.ts'
import {
  type SmtpServerOptions,
  type SmtpTestServer,
  startSmtpServer,
} from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'
import { answerJson, startWebServer } from './support/web-server.ts'
import { startWireProxy } from './support/wire-proxy.ts'

// A service whose process is stopped, and its state when the process resumes.

const day = 24 * 60 * 60
const password = 'correct horse'
/** The time limit for work that only a busy machine delays. */
const patienceMs = 40_000

let database: TestDatabase
let smtp: SmtpTestServer
let servers: FrozenServer[]

beforeEach(async () => {
  database = await createTestDatabase()
  servers = []
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await smtp?.close()
  await database.drop()
})

const startMail = async (options: SmtpServerOptions = {}) => {
  smtp = await startSmtpServer(options)
}

async function start(
  afterwards: Afterwards,
  env: Record<string, string> = {},
  databaseUrl = database.url,
): Promise<FrozenServer> {
  const settings = environmentFor(databaseUrl, {
    ...(smtp && {
      AUTH_MAILER_AUTOCONFIRM: 'false',
      AUTH_SMTP_HOST: '127.0.0.1',
      AUTH_SMTP_PORT: String(smtp.port),
      AUTH_SMTP_ADMIN_EMAIL: 'auth@example.test',
    }),
    AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
    AUTH_API_MAX_REQUEST_DURATION: '60s',
    ...env,
  })
  const server = await startFrozenServer(settings.env ?? {}, afterwards)
  servers.push(server)
  return server
}

const signUp = ({ url }: FrozenServer, email: string) =>
  ask(url, 'POST', '/signup', { body: { email, password } })
const signIn = ({ url }: FrozenServer, email: string) =>
  ask(url, 'POST', '/token?grant_type=password', { body: { email, password } })
const advance = ({ url }: FrozenServer, seconds: number) =>
  ask(url, 'POST', `/advance?seconds=${seconds}`)
const dueWork = async ({ url }: FrozenServer) =>
  JSON.parse((await ask(url, 'GET', '/due-work')).text)

/** A response waits for its background work longer than that takes on a busy machine. */
const unhurried = { AUTH_BACKGROUND_ANSWER_DELAY: '10' }

const isStopped = (server: FrozenServer) =>
  expect.poll(server.isStopped, { timeout: patienceMs }).toBe(true)
const unsent = async () => {
  const text = "select count(*)::int as count from auth.outbox_messages where status <> 'sent'"
  const [row] = await runSql(database.url, text)
  return row?.['count']
}
const statusOfMessage = async () => {
  const [row] = await runSql(database.url, 'select status from auth.outbox_messages')
  return row?.['status']
}
/**
 * Sends requests until a condition holds. Work that outlasts a response is stopped, and continues
 * with the next request.
 */
const withRequests = (server: FrozenServer, condition: () => Promise<boolean>) =>
  vi.waitUntil(async () => {
    await ask(server.url, 'GET', '/settings')
    await isStopped(server)
    return condition()
  }, patienceMs)
const recipients = () => smtp.mails.map(({ envelope }) => envelope.to[0]).toSorted()
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => `person${index}@example.test`).toSorted()

describe.each<Afterwards>(['waitUntil', 'nothing'])('with %s after an answer', (afterwards) => {
  it('sends each message once, from two processes on one database', async () => {
    await startMail()
    const pair = [await start(afterwards), await start(afterwards)]
    const emails = people(24)

    const answers = await Promise.all(
      emails.map((email, index) => signUp(pair[index % 2] as FrozenServer, email)),
    )
    await Promise.all(pair.map(isStopped))
    // Work that outlasts the response was stopped, and continues with the next request.
    await vi.waitUntil(async () => {
      for (const server of pair) await dueWork(server)
      return (await unsent()) === 0
    }, patienceMs)

    expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200))
    expect(recipients()).toEqual(emails)
    expect(await unsent()).toBe(0)
  })

  it('keeps a message that its carrier rejects, and sends it with a later request', async () => {
    await startMail({ behaviour: { connect: 421 } })
    const server = await start(afterwards)
    const { status } = await signUp(server, 'ada@example.test')
    await isStopped(server)
    expect({ status, unsent: await unsent() }).toEqual({ status: 200, unsent: 1 })
    await withRequests(server, async () => (await statusOfMessage()) === 'waiting')

    smtp.behaviour = {}
    await advance(server, 30)
    await withRequests(server, async () => (await unsent()) === 0)

    expect(recipients()).toEqual(['ada@example.test'])
    expect(await unsent()).toBe(0)
  })

  it('loses no message that is in delivery when the process is killed', async () => {
    await startMail({ delayMs: 1_500 })
    const first = await start(afterwards)
    const { status } = await signUp(first, 'ada@example.test')
    first.thaw()
    first.signal('SIGKILL')
    await first.ended

    const second = await start(afterwards)
    await advance(second, 61)
    await dueWork(second)

    expect(status).toBe(200)
    expect(new Set(recipients())).toEqual(new Set(['ada@example.test']))
    expect(await unsent()).toBe(0)
  })

  it('delivers events before it is stopped', async () => {
    const listener = await startWebServer((response) => answerJson(response, 200, {}))
    const env = { AUTH_HOOK_EVENTS_ENABLED: 'true', AUTH_HOOK_EVENTS_URI: listener.url }
    const server = await start(afterwards, {
      ...env,
      ...unhurried,
      AUTH_MAILER_AUTOCONFIRM: 'true',
    })

    await signUp(server, 'ada@example.test')
    await isStopped(server)

    const received = listener.heard.map(({ text }) => JSON.parse(text).type)
    await listener.close()
    expect(received).toEqual(['user.created', 'session.opened'])
  })

  it('exports its spans before it is stopped', async () => {
    const collector = await startCollector()
    const server = await start(afterwards, {
      AUTH_MAILER_AUTOCONFIRM: 'true',
      ...unhurried,
      AUTH_TRACING_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    })

    await signUp(server, 'ada@example.test')
    await isStopped(server)

    const names = collector.spans.map(({ name }) => name)
    await collector.close()
    expect(names).toContain('POST /signup')
  })

  it('continues after two days: sessions renew, old tokens are rejected, retired keys do not sign', async () => {
    const managed = {
      AUTH_JWT_SECRET: '',
      AUTH_JWT_ALGORITHM: 'ES256',
      AUTH_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
      AUTH_MAILER_AUTOCONFIRM: 'true',
    }
    const server = await start(afterwards, managed)
    const { body: session } = await signUp(server, 'ada@example.test')
    await isStopped(server)
    await runSql(database.url, 'delete from auth.signing_keys')
    const rotated = await runCli(['keys', 'rotate'], environmentFor(database.url, managed))

    await advance(server, 2 * day)
    const body = { refresh_token: session.refresh_token }
    const renewed = await ask(server.url, 'POST', '/token?grant_type=refresh_token', { body })
    const tokens = [session.access_token, renewed.body.access_token]
    const users = await Promise.all(
      tokens.map((token) => ask(server.url, 'GET', '/user', { token })),
    )
    const { body: jwks } = await ask(server.url, 'GET', '/.well-known/jwks.json')

    expect(rotated.code).toBe(0)
    expect([renewed.status, ...users.map(({ status }) => status)]).toEqual([200, 403, 200])
    expect(keyOf(renewed.body.access_token)).not.toBe(keyOf(session.access_token))
    expect(jwks.keys.map(({ kid }: { kid: string }) => kid)).toContain(keyOf(tokens[1]))
  })
})

/** Returns the id of the key that signed a token. */
const keyOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

describe('connections to the database', () => {
  const autoconfirm = { AUTH_MAILER_AUTOCONFIRM: 'true' }

  it('that were closed meanwhile fail no request', async () => {
    const proxy = await startWireProxy(database.url)
    const server = await start('nothing', autoconfirm, proxy.url)
    await signUp(server, 'ada@example.test')

    const statuses: number[] = []
    for (let round = 0; round < 10; round += 1) {
      await isStopped(server)
      proxy.hangUp()
      statuses.push((await signIn(server, 'ada@example.test')).status)
    }
    await proxy.close()

    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
  })

  it('that were lost silently are not used after a long pause', async () => {
    const proxy = await startWireProxy(database.url)
    const server = await start('nothing', autoconfirm, proxy.url)
    await signUp(server, 'ada@example.test')
    await isStopped(server)
    proxy.freeze()

    await advance(server, 60)
    const begunAt = performance.now()
    const { status } = await signIn(server, 'ada@example.test')
    const ms = performance.now() - begunAt
    await proxy.close()

    expect(status).toBe(200)
    // A dead connection is abandoned after 15 seconds.
    expect(ms).toBeLessThan(10_000)
  })
})

it('responds late, and stores nothing, if it was stopped longer than a request may take', async () => {
  const slowHashes = { AUTH_PASSWORD_HASH_MEMORY_KIB: '65536', AUTH_PASSWORD_HASH_ITERATIONS: '40' }
  const env = {
    ...slowHashes,
    AUTH_MAILER_AUTOCONFIRM: 'true',
    AUTH_API_MAX_REQUEST_DURATION: '1.5s',
  }
  const server = await start('nothing', env)
  await ask(server.url, 'GET', '/settings')
  await isStopped(server)

  server.thaw()
  const answering = ask(server.innerUrl, 'POST', '/signup', {
    body: { email: 'ada@example.test', password },
  })
  await server.printed(/COME 2 /)
  // The request was received, and its time begins after the process has resumed. The hash takes
  // seconds.
  await sleep(300)
  server.signal('SIGSTOP')
  await sleep(2_000)
  server.thaw()
  const { status } = await answering
  const next = await ask(server.innerUrl, 'GET', '/settings')

  expect([status, next.status]).toEqual([504, 200])
  expect(await runSql(database.url, 'select id from auth.users')).toEqual([])
})

it('serves 60 parallel sign-ups with a slow mail server, and sends every message', async () => {
  await startMail({ delayMs: 400 })
  const server = await start('waitUntil')
  // The maximum number that may wait for a hash on one core. More would be rejected.
  const emails = people(60)

  const answers = await Promise.all(emails.map((email) => signUp(server, email)))
  await isStopped(server)
  const rounds: { isDone: boolean }[] = []
  while ((await unsent()) !== 0 && rounds.length < 5) rounds.push(await dueWork(server))

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(recipients()).toEqual(emails)
}, 90_000)
