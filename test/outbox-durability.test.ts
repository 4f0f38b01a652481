import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withinTime } from '../src/platform/kit/within-time.ts'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type DeliveryLines, openDeliveryLines } from './support/delivery-lines.ts'
import { pooledUrl } from './support/pooled-environment.ts'
import { pooledServer } from './support/pooled-server.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'
import { workersOf } from './support/worker-processes.ts'

// `latchkey serve` is killed at each message on the wire between it, its database and its mail
// server.

const login = { user: 'latchkey', pass: 'a password' }

let database: TestDatabase
let smtp: SmtpTestServer
let lines: DeliveryLines
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  smtp = await startSmtpServer({ auth: login, pipelining: false })
  lines = await openDeliveryLines({
    database: Number(new URL(pooledUrl(pooledServer(), database.url)).port || 5432),
    mail: smtp.port,
  })
  server = await start()
})
afterAll(async () => {
  await server?.stop()
  await lines?.mail.stop()
  await lines?.database.stop()
  await smtp?.close()
  await database?.drop()
})

function start(): Promise<ServerProcess> {
  const url = new URL(database.url)
  url.host = `127.0.0.1:${lines.database.port}`
  url.searchParams.set('sslmode', 'disable')
  return startServer(url.href, {
    AUTH_MAILER_AUTOCONFIRM: 'false',
    AUTH_SMTP_HOST: '127.0.0.1',
    AUTH_SMTP_PORT: String(lines.mail.port),
    AUTH_SMTP_USER: login.user,
    AUTH_SMTP_PASS: login.pass,
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
    AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
  })
}

let people = 0
const newEmail = () => `durable${++people}@example.test`
const signUp = (email: string) =>
  ask(server.url, 'POST', '/signup', { body: { email, password: 'correct horse' } })

const statusOf = async (email: string) => {
  const text = 'select status from auth.outbox_messages where recipient = $1'
  const [row] = await runSql(database.url, { text, values: [email] })
  return row?.status
}
const isSent = (email: string) =>
  expect.poll(() => statusOf(email), { timeout: 25_000 }).toBe('sent')
const idsOfMailsTo = (email: string) =>
  smtp.mails.filter(({ envelope }) => envelope.to[0] === email).map(({ messageId }) => messageId)

/** Advances the leases of a dead process by a minute. */
const endLeases = () =>
  runSql(
    database.url,
    `update auth.outbox_messages set next_attempt_at = now() where status = 'sending'`,
  )

/**
 * A server's last statement may still run in the database after its end. A pooler keeps its
 * connections, and closes one whose transaction has not ended.
 */
const nothingRuns = () =>
  expect
    .poll(
      async () => {
        const [row] = await runSql(
          database.url,
          `select count(*)::int as running from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()${keptByPooler}`,
        )
        return row?.['running']
      },
      { timeout: 20_000 },
    )
    .toBe(0)

const keptByPooler = pooledServer() ? ` and state <> 'idle'` : ''

const notKilled = () => new Error(`nothing of this was heard, but ${lines.heard().join(', ')}`)

/** The traffic of one message, in order. */
const requests = [
  'answer to connecting',
  'EHLO',
  'answer to EHLO',
  'AUTH',
  'answer to AUTH',
  'MAIL',
  'answer to MAIL',
  'RCPT',
  'answer to RCPT',
  'DATA',
  'answer to DATA',
  'the end of the mail',
  'answer to the end of the mail',
  'settle_messages',
  'answer to settle_messages',
]

/** Returns whether the mail server has the mail, and the database does not know. */
const isTakenUnknown = (event: string, moment: 'before' | 'after') =>
  [
    'after the end of the mail',
    'before answer to the end of the mail',
    'after answer to the end of the mail',
    'before settle_messages',
  ].includes(`${moment} ${event}`)

it('is the traffic of a message', async () => {
  const email = newEmail()
  lines.mail.hangUp()
  lines.listen()

  await signUp(email)
  await isSent(email)
  await expect.poll(() => lines.heard().at(-1)).toBe('answer to settle_messages')

  expect(lines.heard()).toEqual(requests)
})

/** `npm test` samples; CI kills at every event (`npm run test:durability`). */
const moments =
  process.env['OUTBOX_KILLS'] === 'all'
    ? requests
    : ['answer to connecting', 'DATA', 'answer to the end of the mail', 'settle_messages']

describe.each(moments)('a server that is killed at %s', { timeout: 180_000 }, (event) => {
  it.each(['before', 'after'] as const)('%s the event, loses nothing', async (moment) => {
    const email = newEmail()
    // A kept connection would need no greeting.
    lines.mail.hangUp()
    lines.listen((heard) => {
      if (heard !== event) return 'pass'
      for (const pid of [...workersOf(server), server.pid]) process.kill(pid, 'SIGKILL')
      return `die ${moment}`
    })
    // The response may or may not have been sent before the end.
    await signUp(email).catch(() => {})
    const ending = await withinTime(server.ended, 20_000, notKilled)
    lines.listen()
    await nothingRuns()
    await endLeases()
    server = await start()

    await isSent(email)

    const ids = idsOfMailsTo(email)
    expect(ending.signal).toBe('SIGKILL')
    expect(new Set(ids).size).toBe(1)
    // The network determines whether the mail server has read to the end by then.
    expect(ids.length).toBeLessThanOrEqual(isTakenUnknown(event, moment) ? 2 : 1)
  })
})
