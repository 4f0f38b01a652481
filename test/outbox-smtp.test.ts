import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type LineProxy, startLineProxy } from './support/line-proxy.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'

// `latchkey serve` and a mail server with TLS and authentication.

const login = { user: 'latchkey', pass: 'a password' }
const certificate = new URL('support/certificate/localhost.pem', import.meta.url).pathname

let database: TestDatabase
let smtp: SmtpTestServer
let slow: SmtpTestServer
let line: LineProxy
let server: ServerProcess

const start = (port: number) =>
  startServer(database.url, {
    NODE_EXTRA_CA_CERTS: certificate,
    AUTH_MAILER_AUTOCONFIRM: 'false',
    AUTH_SMTP_HOST: 'localhost',
    AUTH_SMTP_PORT: String(port),
    AUTH_SMTP_USER: login.user,
    AUTH_SMTP_PASS: login.pass,
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
    AUTH_SMTP_MAX_FREQUENCY: '0',
    AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
  })

beforeAll(async () => {
  database = await createTestDatabase()
  smtp = await startSmtpServer({ tls: 'starttls', auth: login })
  slow = await startSmtpServer({ tls: 'starttls', auth: login, delayMs: 1_000 })
  line = await startLineProxy(smtp.port, () => (_side, _chunk, pass) => pass())
  server = await start(line.port)
})
beforeEach(() => {
  smtp.behaviour = {}
  smtp.mails.length = 0
})
afterAll(async () => {
  await server?.stop()
  await line?.stop()
  await smtp?.close()
  await slow?.close()
  await database?.drop()
})

let people = 0
const newEmail = () => `smtp${++people}@example.test`
const post = (path: string, body: object, to = server) => ask(to.url, 'POST', path, { body })
const signUp = (email: string, to = server) =>
  post('/signup', { email, password: 'correct horse' }, to)

const messageTo = async (email: string) => {
  const text = 'select * from auth.outbox_messages where recipient = $1'
  const [row] = await runSql(database.url, { text, values: [email] })
  return row
}
const becomes = (email: string, expected: object) =>
  expect.poll(() => messageTo(email), { timeout: 15_000 }).toMatchObject(expected)

it('accepts a mail over TLS, from an authenticated client', async () => {
  const email = newEmail()

  await signUp(email)
  await becomes(email, { status: 'sent', attempts: 1, carrier_message_id: expect.any(String) })

  expect(smtp.mails).toMatchObject([
    { isEncrypted: true, user: login.user, envelope: { to: [email] } },
  ])
})

describe('a mail server', () => {
  it('that is down fails no sign-up, and receives the mail when it is up again', async () => {
    const email = newEmail()
    await line.stop()

    const { status, body } = await signUp(email)
    await becomes(email, { status: 'waiting', attempts: 1 })
    const waiting = await messageTo(email)
    await line.resume()
    await becomes(email, { status: 'sent' })

    expect([status, body.email]).toEqual([200, email])
    expect(waiting?.['last_error']).toMatch(/unreachable, or the connection was lost: ECONN/)
    expect(smtp.mails.map(({ messageId }) => messageId)).toEqual([
      `<${waiting?.['id']}@example.test>`,
    ])
  })

  it('that rejects permanently is tried once, and the logged reason contains no address', async () => {
    const email = newEmail()
    smtp.behaviour = { rcpt: 550 }

    expect((await signUp(email)).status).toBe(200)

    await becomes(email, {
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      last_error: 'the mail server returned 550 5.7.1 to RCPT TO',
    })
    expect(server.output()).toContain('message given up')
    expect(server.output()).not.toContain(email)
    expect(server.output()).not.toContain('ada@example.com')
  })

  it.each([
    ['refuses for now', { rcpt: 451 } as const, /451 5\.7\.1 to RCPT TO/],
    ['hangs up amid the mail', { data: 'drop' } as const, /was lost: E[A-Z]+/],
  ])(
    'that %s receives the mail later, once',
    { timeout: 180_000 },
    async (_what, behaviour, reason) => {
      const email = newEmail()
      smtp.behaviour = behaviour

      expect((await signUp(email)).status).toBe(200)
      await becomes(email, { status: 'waiting', last_error: expect.stringMatching(reason) })
      smtp.behaviour = {}
      await becomes(email, { status: 'sent', last_error: null })

      expect(smtp.mails).toHaveLength(1)
    },
  )

  it('that is slow delays no response', async () => {
    const patient = await start(slow.port)
    const email = newEmail()

    const answers = [
      await signUp(email, patient),
      await post('/otp', { email }, patient),
      await post('/recover', { email }, patient),
    ]
    const arrived = slow.mails.length
    await expect.poll(() => slow.mails.length, { timeout: 10_000 }).toBe(answers.length)
    const ending = await patient.stop()

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(arrived).toBeLessThan(answers.length)
    expect(ending.code).toBe(0)
  })
})

it('ends on a signal after the mail in delivery was accepted', async () => {
  const leaving = await start(slow.port)
  const email = newEmail()
  await signUp(email, leaving)
  await becomes(email, { status: 'sending' })

  const ending = await leaving.stop()

  expect(ending.code).toBe(0)
  expect(await messageTo(email)).toMatchObject({ status: 'sent', attempts: 1 })
})
