import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { type CliOptions, runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'
import { hasTerminal, onTerminal } from './support/terminal.ts'
import { waitFor } from './support/wait-for.ts'

/** Mails wait, because the mail server rejects them for now. */
let env: Record<string, string>
let smtp: SmtpTestServer
let database: TestDatabase
let server: ServerProcess
let id: string

beforeAll(async () => {
  smtp = await startSmtpServer({ behaviour: { rcpt: 451 } })
  env = {
    AUTH_MAILER_AUTOCONFIRM: 'false',
    AUTH_SMTP_HOST: '127.0.0.1',
    AUTH_SMTP_PORT: String(smtp.port),
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
  }
  database = await createTestDatabase()
  server = await startServer(database.url, env)
  const body = { email: 'ada@example.test', password: 'correct horse' }
  await ask(server.url, 'POST', '/signup', { body })
  await server.printed(/message not sent/)
  // The next attempt is far in the future, and none is running.
  const text = `update auth.outbox_messages set next_attempt_at = now() + interval '1 hour'
    where status = 'waiting' returning id`
  id = await waitFor(async () => {
    const [row] = await runSql(database.url, text)
    expect(row).toBeDefined()
    return String(row?.id)
  })
})
afterAll(async () => {
  await server?.stop()
  await smtp?.close()
  await database?.drop()
})

const outbox = (args: string[], options: Pick<CliOptions, 'wrap'> = {}) =>
  runCli(['outbox', ...args], { ...environmentFor(database.url, env), ...options })

describe('latchkey outbox list', () => {
  it('writes a line for each message, with tabs between its values', async () => {
    const { code, output } = await outbox([])

    expect(code).toBe(0)
    expect(output.split('\n').map((line) => line.split('\t'))).toEqual([
      [
        id,
        'waiting',
        expect.stringMatching(/^\d+$/),
        expect.stringMatching(/^\d{4}-.*Z$/),
        'confirmation',
        'ada@example.test',
        expect.stringMatching(/Z$/),
        'the mail server returned 451 5.7.1 to RCPT TO',
      ],
      [''],
    ])
  })

  it('writes JSON for programs', async () => {
    const { output } = await outbox(['list', '--json', '--status', 'waiting', '--limit', '5'])

    expect(JSON.parse(output)).toMatchObject([
      { id, channel: 'email', status: 'waiting', recipient: 'ada@example.test' },
    ])
    expect(output).not.toMatch(/body|token/i)
  })

  it('selects by status', async () => {
    const { code, output } = await outbox(['list', '--status=failed'])

    expect([code, output]).toEqual([0, ''])
  })

  it.runIf(hasTerminal())('writes a table on a terminal', async () => {
    const { output } = await outbox(['list'], { wrap: onTerminal })

    const [headings = '', line = ''] = output.split(/\r?\n/)
    expect(headings.split(/\s+/)).toEqual([
      'id',
      'status',
      'attempts',
      'created',
      'kind',
      'recipient',
      'next',
      'reason',
    ])
    for (const [heading, cell] of [
      ['status', 'waiting'],
      ['recipient', 'ada@'],
    ] as const) {
      expect(line.indexOf(cell)).toBe(headings.indexOf(heading))
    }
  })
})

describe('latchkey outbox preview', () => {
  it('prints the mail, and does not change it', async () => {
    const { code, output } = await outbox(['preview', id])
    const asJson = await outbox(['preview', id, '--json'])

    expect(code).toBe(0)
    expect(output).toMatch(
      /^Subject: Confirm your.*\n\n[\s\S]*verify\?token=[0-9a-f]{56}&type=signup/i,
    )
    expect(JSON.parse(asJson.output)).toEqual({
      subject: expect.any(String),
      html: expect.stringContaining('<html'),
      text: expect.any(String),
    })
    expect(smtp.mails).toEqual([])
  })
})

it.each([
  [['preview'], 2, 'which message?'],
  [['retry'], 2, 'which message?'],
  [['retry', 'a', 'b'], 2, 'which message?'],
  [['burn'], 2, 'unknown: outbox burn'],
  [['list', '--wide'], 2, '--wide'],
  [['discard', 'x', '--status', 'failed', '--yes'], 2, '--status is an option of outbox list'],
  [['list', '--limit', 'x'], 2, '--limit must be a number'],
  [['list', '--limit', '0'], 2, '--limit has to be from 1 to 1000'],
  [['list', '--status', 'lost'], 2, '--status has to be one of waiting, sending, sent, failed'],
  [['retry', '018f0000-0000-7000-8000-000000000001'], 1, 'There is no such message'],
  [['preview', 'x'], 1, 'There is no such message'],
])('prints an error for %j, with %i', async (args, code, message) => {
  const ending = await outbox(args)

  expect(ending.code).toBe(code)
  expect(ending.output).toContain(message)
  expect(ending.output).not.toMatch(/\n\s+at /)
})

describe('latchkey outbox retry', () => {
  it('makes the server send the message within seconds', async () => {
    smtp.behaviour = {}

    const { code, output } = await outbox(['retry', id])
    const isSent = async () =>
      runSql(database.url, "select from auth.outbox_messages where status = 'sent'")
    await expect.poll(isSent, { timeout: 30_000 }).toHaveLength(1)
    const again = await outbox(['retry', id])

    expect([code, output]).toEqual([0, `${id} will be tried within seconds\n`])
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]?.messageId).toBe(`<${id}@example.test>`)
    expect(again.code).toBe(1)
    expect(again.output).toContain('There is no such message, or it was sent')
  })
})

describe('latchkey outbox discard', () => {
  it('deletes a message after a confirmation, and the audit log names the command line', async () => {
    const [row] = await runSql(
      database.url,
      `insert into auth.outbox_messages (id, channel, kind, recipient, body, status, attempts, created_at, settled_at)
        values (gen_random_uuid(), 'email', 'recovery', 'grace@example.test', 'x', 'failed', 3, now(), now())
        returning id`,
    )
    const failed = String(row?.id)

    const unconfirmed = await outbox(['discard', failed])
    const discarded = await outbox(['discard', failed, '--yes'])
    const again = await outbox(['discard', failed, '--yes'])

    expect(unconfirmed.code).not.toBe(0)
    expect(unconfirmed.output).toContain('add --yes')
    expect([discarded.code, discarded.output]).toEqual([0, `${failed} was discarded\n`])
    expect(again.output).toContain('There is no such message, or it was sent')
    const entries = await runSql(
      database.url,
      'select action, actor_role, traits from auth.audit_entries where action in (62, 63) order by id',
    )
    expect(entries).toEqual([
      { action: 62, actor_role: 'cli', traits: { message_id: id } },
      { action: 63, actor_role: 'cli', traits: { message_id: failed } },
    ])
  })
})
