import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { serve } from './support/serve.ts'
import { startTestAuth, type TestAuth, testPassword, testSecret } from './support/test-auth.ts'

interface SentRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: unknown
}

interface ReceivedResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends a request without `fetch` and its classes, which the tests replace. */
async function ask(
  url: string,
  { method = 'POST', path, headers, body }: SentRequest,
): Promise<ReceivedResponse> {
  const sent = httpRequest(url + path, { method, headers: headers ?? {}, agent: false })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

let users = 0
const newUser = () => ({ email: `globals${++users}@example.test`, password: testPassword })
const wrong = { email: 'nobody@example.test', password: 'a wrong password' }
const tokenPath = '/auth/token?grant_type=password'
const refusedPassword = { code: 400, error_code: 'invalid_credentials' }

/** Expects the right response in each form: errors, sessions, redirects, empty ones. */
async function expectRightResponses(
  send: (request: SentRequest) => Promise<ReceivedResponse>,
): Promise<void> {
  const body = newUser()
  const refused = await send({ path: tokenPath, body: wrong })
  const signUp = await send({ path: '/auth/signup', body })
  const signIn = await send({ path: tokenPath, body })
  const { access_token: token } = JSON.parse(signIn.text)
  const authorization = { authorization: `Bearer ${token}` }
  const user = await send({ method: 'GET', path: '/auth/user', headers: authorization })
  const head = await send({ method: 'HEAD', path: '/auth/user', headers: authorization })
  const anonymous = await send({ method: 'GET', path: '/auth/user' })
  const signOut = await send({ path: '/auth/logout', headers: authorization })
  const signedOut = await send({ method: 'GET', path: '/auth/user', headers: authorization })
  const link = await send({ method: 'GET', path: '/auth/verify?type=signup&token=unknown' })
  const unknownPath = await send({ method: 'GET', path: '/auth/nowhere' })
  const method = await send({ method: 'GET', path: '/auth/signup' })
  const keys = await send({ method: 'GET', path: '/auth/.well-known/jwks.json' })

  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([400, refusedPassword])
  expect(refused.headers['content-type']).toMatch('application/json')
  expect(refused.headers['x-request-id']).toBeTruthy()
  expect([signUp.status, signIn.status, user.status]).toEqual([200, 200, 200])
  expect(JSON.parse(user.text).email).toBe(body.email)
  expect([head.status, head.text]).toEqual([200, ''])
  expect([anonymous.status, JSON.parse(anonymous.text).error_code]).toEqual([
    401,
    'no_authorization',
  ])
  expect([signOut.status, signOut.text]).toEqual([204, ''])
  expect([signedOut.status, JSON.parse(signedOut.text).error_code]).toEqual([
    403,
    'session_not_found',
  ])
  expect([link.status, link.text]).toEqual([303, ''])
  expect(link.headers.location).toMatch('error_code=otp_expired')
  expect([unknownPath.status, JSON.parse(unknownPath.text).error_code]).toEqual([404, 'not_found'])
  expect([method.status, method.headers.allow]).toEqual([405, 'POST'])
  expect([keys.status, keys.headers['cache-control']]).toEqual([200, 'public, max-age=600'])
}

describe('H28: in Hono with its defaults', () => {
  let database: TestDatabase
  let running: ChildProcess

  const start = async (order: string) => {
    database = await createTestDatabase()
    const config = {
      siteUrl: 'https://app.example.test',
      basePath: '/auth',
      database: database.url,
      jwt: { secret: testSecret },
      email: { autoconfirm: true },
      passwords: { argon2: { memoryKib: 64, iterations: 1, parallelism: 1 } },
    }
    const host = join(import.meta.dirname, 'support/hono-host.ts')
    running = spawn(process.execPath, ['--conditions=latchkey-source', host, order], {
      env: { PATH: process.env['PATH'], LATCHKEY_CONFIG: JSON.stringify(config) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    running.stderr?.on('data', (chunk) => {
      printed += chunk
    })
    const [first] = await Promise.race([
      once(running.stdout ?? running, 'data'),
      once(running, 'exit').then(() => [`nothing but ${printed}`]),
    ])
    const [, hono, node] = /^LISTENING (\d+) (\d+)/.exec(String(first)) ?? []
    expect(hono, String(first)).toBeDefined()
    return { hono: `http://127.0.0.1:${hono}`, node: `http://127.0.0.1:${node}` }
  }

  afterEach(async () => {
    running.kill('SIGKILL')
    await database.drop()
  })

  it.each(['host-first', 'latchkey-first'])("serves the handler's response, %s", async (order) => {
    const { hono, node } = await start(order)

    await expectRightResponses((request) => ask(hono, request))
    await expectRightResponses((request) => ask(`${hono}/mounted`, request))
    const headers = { 'x-dressed': '1', origin: 'https://app.example.test' }
    await expectRightResponses((request) =>
      ask(hono, { ...request, headers: { ...request.headers, ...headers } }),
    )
    await expectRightResponses((request) => ask(node, request))
  })
})

/** A class that shares only its name with the replaced one. */
class OtherClass {}

type Replacement = [string, () => Record<string, unknown>]

const replacements: Replacement[] = [
  ['Response by a stranger', () => ({ Response: OtherClass })],
  ['Response by one that throws', () => ({ Response: () => expect.fail('was called') })],
  ['Response by nothing', () => ({ Response: undefined })],
  ['Response by a class of its own', () => ({ Response: class extends Response {} })],
  ['Request by a stranger', () => ({ Request: OtherClass })],
  ['Headers by a stranger', () => ({ Headers: OtherClass })],
  ['Headers by nothing', () => ({ Headers: undefined })],
  ['fetch by nothing', () => ({ fetch: undefined })],
  ['URL by a class of its own', () => ({ URL: class extends URL {} })],
  ['Error by a class of its own', () => ({ Error: class extends Error {} })],
  [
    'all of them by strangers',
    () => ({
      Response: OtherClass,
      Request: OtherClass,
      Headers: OtherClass,
      Blob: OtherClass,
      Error: OtherClass,
      Promise: class extends Promise<unknown> {},
    }),
  ],
]

/** Without these, Node's own `Response` is unreadable. */
const streamReplacements: Replacement[] = [
  ['streams by strangers', () => ({ ReadableStream: OtherClass, Blob: OtherClass })],
  ['streams by nothing', () => ({ ReadableStream: undefined, Blob: undefined })],
]

describe('H28: after a host has replaced', () => {
  let auth: TestAuth
  const NativeRequest = Request

  beforeAll(async () => {
    auth = await startTestAuth({ basePath: '/auth' })
    await auth.auth.ready()
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })
  afterAll(() => auth.close())

  it.each(replacements)("%s, `auth.fetch` returns the handler's response", async (_, replace) => {
    for (const [name, value] of Object.entries(replace())) vi.stubGlobal(name, value)

    await expectRightResponses(async ({ method = 'POST', path, headers, body }) => {
      const given = new NativeRequest(`http://auth.test${path}`, {
        method,
        ...(headers && { headers }),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = await auth.auth.fetch(given, { ip: '203.0.113.7' })
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        text: await answer.text(),
      }
    })
  })

  it.each([...replacements, ...streamReplacements])(
    "%s, `toNode` sends the handler's response",
    async (_, replace) => {
      const served = await serve(toNode(auth.auth))
      for (const [name, value] of Object.entries(replace())) vi.stubGlobal(name, value)

      await expectRightResponses((request) => ask(served.url, request))

      vi.unstubAllGlobals()
      await served.close()
    },
  )
})

it('H28: sends no response rather than 200 where `Response` was replaced before the service was created', async () => {
  vi.stubGlobal('Response', OtherClass)
  // A separate copy of the module: other files in this process continue with theirs.
  const copy = '../src/platform/http/answer.ts?captured-late'
  const { captureResponse, toResponse }: typeof import('../src/platform/http/answer.ts') =
    await import(copy)
  captureResponse()
  vi.unstubAllGlobals()

  expect(() => toResponse({ status: 400, headers: {}, body: '{}', cookies: [] })).toThrow(
    'globalThis.Response',
  )
})
