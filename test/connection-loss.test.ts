import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Auth, createAuth } from '../src/index.ts'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { type Answer, testSecret } from './support/test-auth.ts'
import { startWireProxy, type WireProxy } from './support/wire-proxy.ts'

const credentials = { email: 'lost@example.test', password: 'correct horse' }
const textCodes = { 'x-supabase-api-version': '2024-01-01' }

let database: TestDatabase
let proxy: WireProxy
/** A process of its own, which an unhandled rejection would end. */
let server: ServerProcess
let tokens: { access: string; refresh: string }

const signIn = (headers = {}) =>
  ask(server.url, 'POST', '/token?grant_type=password', { body: credentials, headers })
const refresh = () =>
  ask(server.url, 'POST', '/token?grant_type=refresh_token', {
    body: { refresh_token: tokens.refresh },
  })
const getUser = () => ask(server.url, 'GET', '/user', { token: tokens.access })
const putUser = () =>
  ask(server.url, 'PUT', '/user', { token: tokens.access, body: { data: { n: 1 } } })
const signUp = (email: string) =>
  ask(server.url, 'POST', '/signup', { body: { ...credentials, email } })

/** A request of each kind: single statements, and transactions. */
const askForEverything = (name: string): Promise<Answer[]> =>
  Promise.all([signIn(), refresh(), getUser(), putUser(), signUp(`${name}@example.test`)])

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startWireProxy(database.url)
  server = await startServer(proxy.url)
  const { body } = await signUp(credentials.email)
  tokens = { access: body.access_token, refresh: body.refresh_token }
})

afterAll(async () => {
  const ending = await server?.stop()
  await proxy?.close()
  await database?.drop()
  expect(ending?.code).toBe(0)
})

describe('a connection that is lost', () => {
  it('fails requests with 503 and Retry-After, in both forms of errors', async () => {
    proxy.refuse()
    proxy.cut()

    const legacy = await signIn()
    const current = await signIn(textCodes)
    const others = await askForEverything('refused')
    proxy.allow()

    expect(legacy.status).toBe(503)
    expect(legacy.headers.get('retry-after')).toBe('1')
    expect(legacy.body).toMatchObject({
      code: 503,
      error_code: 'service_unavailable',
      retry_after: 1,
    })
    expect(current.status).toBe(503)
    expect(current.headers.get('retry-after')).toBe('1')
    expect(current.body).toMatchObject({ code: 'service_unavailable', retry_after: 1 })
    expect(statuses(others)).toEqual([503, 503, 503, 503, 503])
  })

  it('is replaced without a restart, by the next request of each kind', async () => {
    proxy.refuse()
    proxy.cut()
    await getUser()

    proxy.allow()
    const answers = await askForEverything('found')

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200])
  })

  it('under running requests neither drops them without a response nor ends the process', async () => {
    const running = Promise.all(Array.from({ length: 20 }, () => putUser()))
    proxy.cut()
    const answers = await running
    // The pool may detect a lost connection only when it uses it.
    const after = [await putUser(), await putUser()]

    expect([...answers, ...after].map(({ status }) => [200, 503].includes(status))).not.toContain(
      false,
    )
    expect(after.at(-1)?.status).toBe(200)
  })

  it('does not affect requests that need no database', async () => {
    proxy.refuse()
    proxy.cut()

    const answers = await Promise.all(
      ['/health', '/settings', '/.well-known/jwks.json'].map((path) =>
        ask(server.url, 'GET', path),
      ),
    )
    proxy.allow()

    expect(statuses(answers)).toEqual([200, 200, 200])
  })

  it('is logged without a secret', async () => {
    const log = server.log()

    expect(log).toContainEqual(
      expect.objectContaining({ level: 'error', errorCode: 'service_unavailable', status: 503 }),
    )
    const text = server.output()
    for (const secret of [credentials.email, credentials.password, tokens.refresh]) {
      expect(text).not.toContain(secret)
    }
  })
})

describe('a database that is unavailable at start', () => {
  let auth: Auth

  const settings = () => auth.fetch(new Request('http://auth.test/settings'))

  beforeAll(() => {
    proxy.refuse()
    proxy.cut()
    auth = createAuth({
      siteUrl: 'https://app.example.test',
      database: proxy.url,
      jwt: { secret: testSecret },
      email: { autoconfirm: true },
    })
  })

  afterAll(() => auth.close())

  it('makes ready() and requests fail until it is available', async () => {
    await expect(auth.ready()).rejects.toMatchObject({ code: 'service_unavailable', status: 503 })
    const before = await settings()

    proxy.allow()
    const after = await settings()
    await auth.ready()

    expect(before.status).toBe(503)
    expect(before.headers.get('retry-after')).toBe('1')
    expect(await before.json()).toMatchObject({ error_code: 'service_unavailable' })
    expect(after.status).toBe(200)
  })
})

describe('a connection that is lost in the middle of a transaction', () => {
  it('is replaced, even where only one is permitted, and does not prevent closing', async () => {
    const auth = createAuth({
      siteUrl: 'https://app.example.test',
      database: { url: proxy.url, maxPoolSize: 1 },
      jwt: { secret: testSecret },
      email: { autoconfirm: true },
    })
    const { user } = await auth.api.signInWithPassword(credentials)
    const update = () => auth.admin.updateUser(user.id, { userMetadata: { n: 2 } })
    const lose = async (moment: RegExp) => {
      proxy.reset()
      const updating = update().catch((error: unknown) => error)
      while (!proxy.statements().some(({ text }) => moment.test(text))) await nextTurn()
      proxy.cut()
      return updating
    }

    for (const moment of [/^begin/, /update "auth"."users"/, /^commit/]) {
      expect(await lose(moment)).toMatchObject({ code: 'service_unavailable' })
    }

    expect((await update()).userMetadata).toMatchObject({ n: 2 })
    await auth.close()
  })
})
