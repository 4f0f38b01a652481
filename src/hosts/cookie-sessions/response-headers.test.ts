import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'
import { headersOf, type ResponseHeaders } from './response-headers.ts'

let auth: TestAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startTestAuth()
  sessions = openCookieSessions(auth.auth, { origin: 'https://app.example.test' }, auth.clock)
})
afterAll(() => auth?.close())

/** Signs a user in, and adds the headers of the session to a response that has others. */
async function signIn(target: ResponseHeaders): Promise<void> {
  const { email } = await auth.given.user()
  const session = await sessions.open(openCookieBrowser().request('POST', '/sign-in'))
  await session.api.signInWithPassword({ email: email ?? '', password: testPassword })
  session.addHeaders(target)
}

async function served(listener: RequestListener): Promise<Headers> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  server.close()
  return headers
}

const hosts: Record<string, () => Promise<Headers>> = {
  'node:http': () =>
    served(async (_, response) => {
      response.setHeader('set-cookie', 'theme=dark')
      await signIn(response)
      response.end()
    }),
  Express: () => {
    const app = express()
    app.get('/', async (_, response) => {
      response.setHeader('set-cookie', 'theme=dark')
      await signIn(response)
      response.end()
    })
    return served(app)
  },
  Koa: () => {
    const app = new Koa()
    app.use(async (context) => {
      context.set('set-cookie', 'theme=dark')
      await signIn(context)
      context.body = 'ok'
    })
    return served(app.callback())
  },
  Fastify: async () => {
    const app = Fastify()
    app.get('/', async (_, reply) => {
      reply.header('set-cookie', 'theme=dark')
      await signIn(reply)
      return 'ok'
    })
    const { headers } = await app.inject('/')
    return new Headers(
      Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, String(one)]),
      ),
    )
  },
  Hono: async () => {
    const app = new Hono()
    app.get('/', async (context) => {
      context.header('set-cookie', 'theme=dark')
      await signIn(context)
      return context.text('ok')
    })
    return (await app.request('/')).headers
  },
}

it.each(Object.entries(hosts))('the session is added to a response of %s', async (_, respond) => {
  const headers = await respond()

  const [other, ...own] = headers.getSetCookie()
  expect(other).toBe('theme=dark')
  expect(own[0]).toMatch(/^__Host-latchkey-session=[^;]+;.*HttpOnly/)
  expect(headers.get('cache-control')).toBe('private, no-store')
})

it.each([undefined, null, 'x', {}])('are not %j, which is rejected by a TypeError', (target) => {
  expect(() => headersOf(target as never)).toThrow(
    new TypeError('headers: must be the Headers or the response of the framework'),
  )
})
