import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import { finishFlow } from './express.ts'

const origin = 'https://app.example.test'
let auth: MessagingAuth
let sessions: CookieSessions
let servers: Server[]

const options = { to: '/account', failed: '/sign-in' }

/** The redirect target of flows in each host, below a mount where the host has mounts. */
const hosts: Record<string, () => Promise<RequestListener> | RequestListener> = {
  Express: () => {
    const flows = express()
    flows.get('/callback', finishFlow(() => sessions, options) as never)
    return express().use('/flows', flows)
  },
  Fastify: async () => {
    const app = Fastify()
    app.get('/flows/callback', (request) => sessions.finishFlow(request, options))
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  Koa: () => {
    const app = new Koa()
    app.use(async (ctx) => {
      const response = await sessions.finishFlow(ctx, options)
      ctx.body = response
      ctx.set('set-cookie', response.headers.getSetCookie())
    })
    return app.callback()
  },
  'node:http': () => (request, response) => {
    void sessions.finishFlow(request, options).then(({ status, headers }) => {
      response.writeHead(status, {
        location: headers.get('location') ?? '',
        'cache-control': headers.get('cache-control') ?? '',
        'set-cookie': headers.getSetCookie(),
      })
      response.end()
    })
  },
}

beforeAll(async () => {
  auth = await startMessagingAuth({ siteUrl: origin })
  sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
  servers = []
})
afterAll(async () => {
  for (const server of servers) server.close()
  await auth?.close()
})

async function start(host: string): Promise<string> {
  const listener = await hosts[host]?.()
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each(Object.keys(hosts))('finishes a flow in %s, once', async (host) => {
  const url = await start(host)
  const { email } = await auth.given.user()
  const browser = openCookieBrowser()
  const session = await sessions.open(browser.request('POST', '/'))
  const redirectTo = '/flows/callback?next=/new-password'
  await session.api.resetPasswordForEmail({ email: email ?? '', redirectTo })
  const started = new Headers()
  session.addHeaders(started)
  browser.take({ headers: started })
  const target = (await auth.follow(await auth.messageTo(email ?? ''))).url
  const visit = () =>
    fetch(`${url}${target?.pathname}${target?.search}`, {
      headers: { cookie: browser.request('GET', '/').headers.get('cookie') ?? '' },
      redirect: 'manual',
    })

  const finished = await visit()
  browser.take(finished)
  const signedIn = await sessions.open(browser.request('GET', '/'))
  const again = await visit()

  expect([finished.status, finished.headers.get('location')]).toEqual([303, '/new-password'])
  expect(finished.headers.get('cache-control')).toContain('no-store')
  expect(signedIn.viewer?.claims.email).toBe(email)
  expect(again.headers.get('location')).toBe('/sign-in?error_code=flow_state_not_found')
})

it.each(['http://other.test', 'http://user:password@other.test'])(
  'accepts a URL as the target of a request: %s',
  async (host) => {
    const { hostname, port } = new URL(await start('Express'))
    const path = `${host}/flows/callback?error_code=access_denied`
    const sent = request({ hostname, port, path }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()

    expect([response.statusCode, response.headers.location]).toEqual([
      303,
      '/sign-in?error_code=access_denied',
    ])
  },
)

it('redirects to the page of failures in Express', async () => {
  const url = await start('Express')
  const denied = await fetch(`${url}/flows/callback?error_code=access_denied`, {
    redirect: 'manual',
  })

  expect(denied.headers.get('location')).toBe('/sign-in?error_code=access_denied')
})
