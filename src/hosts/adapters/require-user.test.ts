import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { type ExpressSessionResponse, requireUser as requireExpressUser } from './express.ts'
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

/** Signs a new user in who has verified an app: with the password only, and with the app. */
async function sessionsOfFactor() {
  const { api } = auth.auth
  const { codeOf } = secondFactors(auth)
  const { accessToken, user } = await auth.given.session()
  const { id: factorId, totp } = await api.enrollFactor({ accessToken, factorType: 'totp' })
  const { id: challengeId } = await api.challengeFactor({ accessToken, factorId })
  const code = codeOf({ secret: totp?.secret ?? '' })
  const proof = { accessToken, factorId, challengeId, code }
  const { session: strong } = await api.verifyFactor(proof)
  const credentials = { email: user.email ?? '', password: testPassword }
  const { session: weak } = await api.signInWithPassword(credentials)
  return { user, strong, weak }
}

const secondFactor = (path: string) =>
  `/auth/second-factor?${new URLSearchParams({ redirect_to: `https://app.example.test${path}` })}`

interface Tokens {
  accessToken: string
  refreshToken: string
}

/** Opens a session with these tokens in its cookies. */
async function openWith(tokens: Tokens): Promise<RequestSession> {
  const opened = await sessions.open({ method: 'GET', headers: {} })
  await opened.keep(tokens)
  return opened
}

/** Returns the cookies of a signed-in browser. */
const cookiesOf = async (tokens: Tokens) => (await openWith(tokens)).cookieHeader()

describe('requireUser of pages', () => {
  it('redirects visitors of Express to the sign-in page, and passes users on', async () => {
    const app = express()
    app.get('/dashboard', requireExpressUser(sessions) as never, (_request, response) => {
      response.send(
        (response as unknown as ExpressSessionResponse).locals.session.viewer?.userId ?? '',
      )
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

  it('reads the user whatever JavaScript passes on (S114)', async () => {
    const { weak, strong, user } = await sessionsOfFactor()
    const options = { strict: false } as RequiredAssurance

    const rejected = (await openWith(weak)).requireUser(options)
    await expect(rejected).rejects.toMatchObject({ code: 'insufficient_aal' })
    expect((await (await openWith(strong)).requireUser(options)).user.id).toBe(user.id)
  })

  it('redirects a session without the second factor of its user to the page of the factor (S114)', async () => {
    const { weak, strong } = await sessionsOfFactor()
    const app = express()
    const show = (_request: unknown, response: { send(text: string): void }) => response.send('in')
    app.get('/dashboard', requireExpressUser(sessions) as never, show as never)
    app.get('/step', requireExpressUser(sessions, { aal: 1 }) as never, show as never)
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const get = async (path: string, headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
      const { status, headers: sent } = await fetch(url, { headers, redirect: 'manual' })
      return [status, sent.get('location')]
    }
    try {
      const cookie = await cookiesOf(weak)
      const authorization = `Bearer ${weak.accessToken}`
      expect(await get('/dashboard', { cookie })).toEqual([303, secondFactor('/dashboard')])
      expect(await get('/dashboard', { authorization })).toEqual([303, secondFactor('/dashboard')])
      expect(await get('/step', { cookie })).toEqual([200, null])
      expect(await get('/dashboard', { cookie: await cookiesOf(strong) })).toEqual([200, null])
    } finally {
      server.close()
    }
  })

  it('redirects it in SvelteKit and Next too, unless the page requires a sign-in only', async () => {
    const { user, weak, strong } = await sessionsOfFactor()
    const redirect = (...given: unknown[]): never => {
      throw new Error(String(given.at(-1)))
    }
    const guards = [
      (session: RequestSession, required?: RequiredAssurance) =>
        requireNextUser(sessions, session, redirect, '/dashboard', required),
      (session: RequestSession, required?: RequiredAssurance) =>
        requireSvelteKitUser(
          sessions,
          { locals: { session }, url: new URL('http://localhost:3000/dashboard') },
          redirect,
          required,
        ),
    ]

    for (const guard of guards) {
      await expect(guard(await openWith(weak))).rejects.toThrow(secondFactor('/dashboard'))
      const { userId } = await guard(await openWith(weak), { aal: 1 })
      expect(userId).toBe(user.id)
      expect((await guard(await openWith(strong))).userId).toBe(user.id)
    }
  })

  it('redirects a session that has ended to the sign-in page, and removes its cookies', async () => {
    const app = express()
    app.get('/dashboard', requireExpressUser(sessions) as never)
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const session = await auth.given.session()
      const cookie = await cookiesOf(session)
      await auth.auth.admin.signOut(session.user.id)
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard`
      const { headers } = await fetch(url, { headers: { cookie }, redirect: 'manual' })
      expect(headers.get('location')).toBe(signIn('/dashboard'))
      expect(headers.get('set-cookie')).toMatch(/__Host-latchkey-session=;.*Max-Age=0/)
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

    await expect(requireNextUser(() => sessions, visitor, redirect, '/dashboard')).rejects.toThrow(
      signIn('/dashboard'),
    )
    await expect(
      requireSvelteKitUser(sessions, { locals: { session: visitor }, url }, redirect),
    ).rejects.toThrow(signIn('/dashboard'))

    const { accessToken, refreshToken, user } = await auth.given.session()
    await visitor.keep({ accessToken, refreshToken })
    const shown = await requireNextUser(() => sessions, visitor, redirect, '/')
    expect(shown.userId).toBe(user.id)
    const locals = { session: visitor }
    const loaded = await requireSvelteKitUser(sessions, { locals, url }, redirect)
    expect(loaded.userId).toBe(user.id)
  })
})
