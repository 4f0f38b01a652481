import { once } from 'node:events'
import { type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import { finishFlow } from './express.ts'

const origin = 'https://app.example.test'
let auth: MessagingAuth
let sessions: CookieSessions
let server: Server
let url: string

beforeAll(async () => {
  auth = await startMessagingAuth({ siteUrl: origin })
  sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
  const flows = express()
  const options = { to: '/account', failed: '/sign-in' }
  flows.get('/callback', finishFlow(() => sessions, options) as never)
  server = express().use('/flows', flows).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server?.close()
  await auth?.close()
})

it('finishes a flow in Express, below a mount, once', async () => {
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
    const { hostname, port } = new URL(url)
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
  const denied = await fetch(`${url}/flows/callback?error_code=access_denied`, {
    redirect: 'manual',
  })

  expect(denied.headers.get('location')).toBe('/sign-in?error_code=access_denied')
})
