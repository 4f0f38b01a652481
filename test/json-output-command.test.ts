import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { type Shape, shapeOf } from './support/shape-of.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'

// The members of the JSON that commands write, which docs/support.md keeps between minor versions.

let database: TestDatabase
let server: ServerProcess
let smtp: SmtpTestServer
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-json-'))
  // Mails wait in the outbox, because the mail server rejects their recipients for now.
  smtp = await startSmtpServer({ behaviour: { rcpt: 451 } })
  env = {
    AUTH_SUBSCRIBE_PAGES_ENABLED: 'true',
    AUTH_MAILER_AUTOCONFIRM: 'false',
    AUTH_SMTP_HOST: '127.0.0.1',
    AUTH_SMTP_PORT: String(smtp.port),
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
  }
  database = await createTestDatabase()
  server = await startServer(database.url, env)
})
afterAll(async () => {
  await server?.stop()
  await smtp?.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a command and returns its JSON, which follows the lines for readers. */
async function run(command: string, ...args: string[]) {
  const words = [...command.split(' '), ...args, '--json']
  const { output } = await runCli(words, environmentFor(database.url, env))
  const start = /^[[{]/m.exec(output)?.index
  if (start === undefined) throw new Error(`${command}: ${output}`)
  return JSON.parse(output.slice(start))
}

it('writes JSON with these members', async () => {
  const shapes: Record<string, Shape> = {}
  const keep = async (command: string, ...args: string[]) => {
    const json = await run(command, ...args)
    shapes[command] = shapeOf(json)
    return json
  }
  const file = join(folder, 'users.jsonl')
  writeFileSync(file, `${JSON.stringify({ email: 'bea@json.test' })}\n`)
  const body = { email: 'dan@json.test', password: 'correct horse' }
  await ask(server.url, 'POST', '/signup', { body })
  const rejected = await ask(server.url, 'POST', '/token?grant_type=password', { body })

  const user = await keep('admin create-user', 'ada@json.test', '--confirm')
  const changes = [
    ['admin update-user', user.id, '--role', 'editor'],
    ['admin ban', user.id, '24h'],
    ['admin unban', user.id],
  ] as const
  for (const [command, ...args] of changes) {
    const changed = await run(command, ...args)
    expect(Object.keys(changed).toSorted(), command).toEqual(Object.keys(user).toSorted())
  }
  await keep('keys list')
  await keep('migrate status')
  await keep('admin list')
  await keep('admin link', 'recovery', 'ada@json.test')
  await keep('admin audit')
  await keep('admin token')
  await keep('admin delete-user', user.id, '--yes')
  const other = await run('admin create-user', 'eve@json.test', '--confirm')
  await keep('admin erase-user', other.id, '--yes')
  await keep('import users', file)
  const [message] = await keep('outbox list')
  await keep('outbox preview', message.id)
  const [list] = await keep('lists create', 'Release notes')
  await keep('lists update', String(list.id), '--public')
  await keep('lists list')
  await server.stop()
  await keep('why', rejected.headers.get('x-request-id') ?? '')

  expect(shapes).toMatchSnapshot()
  // Some twenty processes in sequence.
}, 240_000)
