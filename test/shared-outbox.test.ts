import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type DeliveryLines, openDeliveryLines } from './support/delivery-lines.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'

// Several `latchkey serve` on one database share the outbox.

let database: TestDatabase
let smtp: SmtpTestServer
let lines: DeliveryLines
let servers: ServerProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  smtp = await startSmtpServer({ pipelining: false })
  lines = await openDeliveryLines({
    database: Number(new URL(database.url).port || 5432),
    mail: smtp.port,
  })
  servers = await Promise.all([start(smtp.port), start(smtp.port)])
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await lines?.mail.stop()
  await lines?.database.stop()
  await smtp?.close()
  await database?.drop()
})

const start = (mailPort: number, databasePort?: number): Promise<ServerProcess> => {
  const url = new URL(database.url)
  if (databasePort) {
    url.host = `127.0.0.1:${databasePort}`
    url.searchParams.set('sslmode', 'disable')
  }
  return startServer(url.href, {
    AUTH_MAILER_AUTOCONFIRM: 'false',
    AUTH_SMTP_HOST: '127.0.0.1',
    AUTH_SMTP_PORT: String(mailPort),
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
    AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
    AUTH_API_MAX_REQUEST_DURATION: '60s',
  })
}

const signUp = (server: ServerProcess, email: string) =>
  ask(server.url, 'POST', '/signup', { body: { email, password: 'correct horse' } })
const mailsTo = (email: string) => smtp.mails.filter(({ envelope }) => envelope.to[0] === email)
const areSettled = () =>
  expect
    .poll(
      () =>
        runSql(
          database.url,
          `select count(*)::int as left from auth.outbox_messages where settled_at is null`,
        ),
      { timeout: 60_000 },
    )
    .toEqual([{ left: 0 }])

it('sends each message once, whichever process claims it', async () => {
  const emails = Array.from({ length: 20 }, (_, index) => `each${index}@example.test`)
  const statuses: number[] = []

  // The queue of password hashing is short.
  for (let at = 0; at < emails.length; at += 4) {
    const some = emails.slice(at, at + 4)
    const signingUp = some.map((email, index) => signUp(servers[index % 2] as ServerProcess, email))
    statuses.push(...(await Promise.all(signingUp)).map(({ status }) => status))
  }
  await areSettled()

  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(emails.map((email) => mailsTo(email).length)).toEqual(emails.map(() => 1))
})

it('sends twice at most, with the same Message-ID and Date, the messages of a killed process', async () => {
  const killed = await start(lines.mail.port, lines.database.port)
  let isDead = false
  void killed.ended.then(() => {
    isDead = true
  })
  lines.listen((event) => {
    // The mail server has accepted the mail, and its client does not learn of it.
    if (event !== 'answer to the end of the mail') return 'pass'
    killed.signal('SIGKILL')
    return 'die before'
  })
  const emails: string[] = []
  // Another process may claim a message first.
  while (!isDead) {
    const email = `killed${emails.length}@example.test`
    emails.push(email)
    await signUp(killed, email).catch(() => {})
    await Promise.race([killed.ended, sleep(2_000)])
  }

  // The lease of its messages ends a minute later.
  await runSql(
    database.url,
    `update auth.outbox_messages set next_attempt_at = now() where status = 'sending'`,
  )
  await areSettled()

  const stored = await runSql(
    database.url,
    `select recipient from auth.outbox_messages where recipient like 'killed%' and status = 'sent'`,
  )
  const sent = stored.map(({ recipient }) => mailsTo(String(recipient)))
  expect(sent.length).toBeGreaterThan(0)
  for (const mails of sent) {
    expect([1, 2]).toContain(mails.length)
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1)
    expect(new Set(mails.map(({ date }) => date)).size).toBe(1)
  }
  expect(sent.some((mails) => mails.length === 2)).toBe(true)
})
