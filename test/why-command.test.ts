import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import type { Answer, RequestOptions } from './support/test-auth.ts'
import { answerJson, startWebServer, type WebServer } from './support/web-server.ts'

// `latchkey why REQUEST_ID`, beside a server that rejected requests by a rule of each kind.

let database: TestDatabase
let server: ServerProcess
let smtp: SmtpTestServer
let hook: WebServer
let env: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  smtp = await startSmtpServer()
  hook = await startWebServer((response) =>
    answerJson(response, 200, { error: { http_code: 403, message: 'Only colleagues' } }),
  )
  env = {
    AUTH_SMTP_HOST: '127.0.0.1',
    AUTH_SMTP_PORT: String(smtp.port),
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
    AUTH_SMTP_MAX_FREQUENCY: '60s',
    AUTH_EXTERNAL_PHONE_ENABLED: 'false',
  }
  server = await startServer(database.url, env)
})
afterAll(async () => {
  await server?.stop()
  await hook?.close()
  await smtp?.close()
  await database?.drop()
})

const post = (path: string, body: unknown, options: RequestOptions = {}) =>
  ask(server.url, 'POST', path, { ...options, body })
const idOf = ({ headers }: Answer) => headers.get('x-request-id') ?? ''

/** Restarts the server, which writes pending decisions and changes the settings. */
async function restart(changes: Record<string, string> = {}): Promise<void> {
  await server.stop()
  env = { ...env, ...changes }
  server = await startServer(database.url, env)
}

const why = async (...args: string[]) => runCli(['why', ...args], environmentFor(database.url, env))

/** Returns kind and rule in each line of the table. */
async function reasons(answer: Answer) {
  const { code, output } = await why(idOf(answer))
  expect(code, output).toBe(0)
  const lines = output.trimEnd().split('\n')
  return lines.map((line) => line.split('\t').slice(1, 5))
}

const email = 'ada@example.test'
const password = 'correct horse'

describe('latchkey why', () => {
  it('prints the rule of each kind: limit, redirect, reuse, policy, hook and link', async () => {
    const signedUp = await post('/signup', { email, password })
    const { refresh_token } = signedUp.body as { refresh_token: string }
    const refresh = async (token: string) =>
      post('/token?grant_type=refresh_token', { refresh_token: token })
    const second = (await refresh(refresh_token)).body as { refresh_token: string }
    await refresh(second.refresh_token)
    const reuse = await refresh(refresh_token)
    const redirect = await post('/recover?redirect_to=https://evil.test/c4n4ry', { email })
    const limit = await post('/recover', { email })
    const link = await post('/verify', { type: 'recovery', token_hash: 'c'.repeat(56) })
    const policy = await post('/otp', { phone: '4915550001' })
    await restart({
      AUTH_HOOK_BEFORE_USER_CREATED_ENABLED: 'true',
      AUTH_HOOK_BEFORE_USER_CREATED_URI: hook.url,
    })
    const refused = await post('/signup', { email: 'new@example.test', password })
    await restart()

    expect(await reasons(limit)).toEqual([
      ['POST /recover', '429', 'limit', 'email_interval'],
      ['POST /recover', '429', 'limit', 'over_email_send_rate_limit'],
    ])
    expect(await reasons(redirect)).toEqual([
      ['POST /recover', '200', 'redirect', expect.stringMatching(/allow list$/)],
    ])
    expect(await reasons(reuse)).toEqual([
      ['POST /token', '400', 'reuse', 'refresh_token_already_used'],
    ])
    expect(await reasons(policy)).toEqual([
      ['POST /otp', '400', 'policy', 'phone_provider_disabled'],
    ])
    expect(await reasons(refused)).toEqual([
      ['POST /signup', '403', 'hook', 'before-user-created'],
      ['POST /signup', '403', 'hook', 'unknown'],
    ])
    expect(await reasons(link)).toEqual([['POST /verify', '403', 'link', 'otp_expired']])
  })

  it('writes JSON for programs, with the meaning of each kind', async () => {
    const answer = await post('/verify', { type: 'recovery', token_hash: 'd'.repeat(56) })
    await restart()
    const { code, output } = await why(idOf(answer), '--json')

    expect(code).toBe(0)
    expect(JSON.parse(output)).toEqual([
      {
        requestId: idOf(answer),
        decidedAt: expect.any(String),
        endpoint: 'POST /verify',
        status: 403,
        kind: 'link',
        rule: 'otp_expired',
        meaning: expect.stringMatching(/link/),
      },
    ])
  })

  it('prints that nothing is stored, and requires an id where there is none', async () => {
    const unknown = await why('0b5f6c1e-6a55-4d0e-9f0c-3a52d3b3a9d1')
    const without = await why()
    const odd = await why('no id')

    expect([unknown.code, unknown.output]).toEqual([
      0,
      expect.stringMatching(/^No decision is stored/),
    ])
    expect([without.code, without.output]).toEqual([
      2,
      expect.stringMatching(/^why: expects one request id/),
    ])
    expect([odd.code, odd.output]).toEqual([1, expect.stringMatching(/request_id/)])
  })
})
