import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as requestOf, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCookieSessions } from '../src/hosts/cookie-sessions/create-cookie-sessions.ts'
import { createAuth } from '../src/index.ts'
import { checkEnvironment } from '../src/standalone/settings/environment.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'

// docs/operations.md: from a service in an application to `latchkey serve` behind its path.

const encryptionKey = 'an encryption key of more than 32 bytes'
const siteUrl = 'https://app.example.test'
let database: TestDatabase
let server: ServerProcess | undefined
let proxy: Server | undefined

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  proxy?.close()
  await server?.stop()
  await database.drop()
})

/** Removes `/auth` from the path, as the `proxy_pass` of nginx with a slash at its end. */
async function startProxy(target: string): Promise<string> {
  proxy = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/auth(?=\/)/, '')
    const { method, headers } = request
    const forwarded = requestOf(`${target}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/auth`
}

it('keeps users, tokens and cookies of an application that moves to a server of its own', async () => {
  const embedded = createAuth({
    siteUrl,
    basePath: '/auth',
    database: database.url,
    encryptionKey,
    email: { autoconfirm: true },
    pages: { enabled: true },
  })
  const credentials = { email: 'ada@example.test', password: 'correct horse' }
  const { session } = await embedded.api.signUp(credentials)
  if (!session) throw new Error('the sign-up returned no session')
  const sessions = createCookieSessions(embedded, { origin: siteUrl })
  const opened = await sessions.open({ method: 'GET', headers: {} })
  await opened.keep(await embedded.api.signInWithPassword(credentials).then((one) => one.session))
  const cookie = opened.cookieHeader()
  await embedded.close()

  server = await startServer(database.url, {
    AUTH_SITE_URL: siteUrl,
    AUTH_API_EXTERNAL_URL: `${siteUrl}/auth`,
    AUTH_JWT_SECRET: '',
    AUTH_ENCRYPTION_KEY: encryptionKey,
    AUTH_PAGES_ENABLED: 'true',
  })
  const url = await startProxy(server.url)
  const authorization = `Bearer ${session.accessToken}`
  const user = await fetch(`${url}/user`, { headers: { authorization } })
  const refreshed = await fetch(`${url}/token?grant_type=refresh_token`, {
    method: 'POST',
    body: JSON.stringify({ refresh_token: session.refreshToken }),
  })
  const account = await fetch(`${url}/account`, { headers: { cookie }, redirect: 'manual' })
  const page = await account.text()

  expect([user.status, refreshed.status, account.status]).toEqual([200, 200, 200])
  expect(page).toContain('ada@example.test')
  expect(page).toContain('action="/auth/account?do=')
})

it('documents settings whose mails lead to the same links', () => {
  const guide = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
  const [, section = ''] = guide.split('## Move to a server of its own')
  const exported = [...section.matchAll(/\b(AUTH_\w+)='([^']*)'/g)].map(([, name, value]) => [
    name,
    value,
  ])
  const env = {
    ...Object.fromEntries(exported),
    AUTH_DATABASE_URL: database.url,
    AUTH_ENCRYPTION_KEY: encryptionKey,
  }

  const { remarks, warnings, config } = checkEnvironment(env)

  expect([...remarks, ...warnings]).toEqual([])
  expect(config.jwt?.algorithm).toBe('ES256')
})
