import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import { type ExpressResponse, requireUser as requireExpressUser } from './express.ts'
import { requireUser as requireNextUser } from './next.ts'
import { requireUser as requireSvelteKitUser } from './sveltekit.ts'

let auth: TestAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startTestAuth({ siteUrl: 'https://app.example.test', basePath: '/auth' })
  sessions = openCookieSessions(auth.auth, { origin: 'https://app.example.test' }, auth.clock)
})
afterAll(() => auth?.close())

const signIn = (path: string) =>
  `/auth/sign-in?${new URLSearchParams({ redirect_to: `https://app.example.test${path}` })}`

/** Returns the cookies of a signed-in browser. */
async function cookiesOf(session: { accessToken: string; refreshToken: string }) {
  const opened = await sessions.open({ method: 'GET', headers: {} })
  await opened.keep(session)
  return opened.cookieHeader()
}

describe('requireUser of pages', () => {
  it('redirects visitors of Express to the sign-in page, and passes users on', async () => {
    const app = express()
    app.get('/dashboard', requireExpressUser(sessions) as never, (_request, response) => {
      response.send((response as unknown as ExpressResponse).locals.session?.viewer?.userId ?? '')
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard?tab=1`
    try {
      const visitor = await fetch(url, { redirect: 'manual' })
      expect([visitor.status, visitor.headers.get('location')]).toEqual([
        303,
        signIn('/dashboard?tab=1'),
      ])
      const session = await auth.given.session()
      const user = await fetch(url, { headers: { cookie: await cookiesOf(session) } })
      expect([user.status, await user.text()]).toEqual([200, session.user.id])
    } finally {
      server.close()
    }
  })

  it('redirects visitors of Next and SvelteKit by the function of the framework', async () => {
    const visitor = await sessions.open({ method: 'GET', headers: {} })
    const redirect = (...given: unknown[]): never => {
      throw new Error(String(given.at(-1)))
    }
    const url = new URL('http://localhost:3000/dashboard')

    expect(() => requireNextUser(() => sessions, visitor, redirect, '/dashboard')).toThrow(
      signIn('/dashboard'),
    )
    expect(() =>
      requireSvelteKitUser(sessions, { locals: { session: visitor }, url }, redirect),
    ).toThrow(signIn('/dashboard'))

    const { accessToken, refreshToken, user } = await auth.given.session()
    await visitor.keep({ accessToken, refreshToken })
    expect(requireNextUser(() => sessions, visitor, redirect, '/').userId).toBe(user.id)
    const locals = { session: visitor }
    expect(requireSvelteKitUser(sessions, { locals, url }, redirect).userId).toBe(user.id)
  })
})
