import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  appOrigin,
  type CookieBrowser,
  openCookieBrowser,
} from '../../../test/support/cookie-browser.ts'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { NextRequestState } from './next-requests.ts'
import { createNextSessions, type NextSessions } from './next-sessions.ts'

// `npm run test:hosts -- next-product` uses it in Next itself.

const steps = { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' }

let auth: TestAuth
let factors: SecondFactors
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
  sessions = openCookieSessions(auth.auth, { origin: appOrigin }, auth.clock)
})
afterAll(() => auth.close())

class Redirected extends Error {}

const redirect = (url: string): never => {
  throw new Redirected(url)
}
const cache = <Result>(compute: () => Result): (() => Result) => {
  let computed: { result: Result } | undefined
  return () => {
    computed ??= { result: compute() }
    return computed.result
  }
}

/** The functions of one request, as those of Next. */
function functionsFor(
  browser: CookieBrowser,
  options: { steps?: typeof steps; headers?: Record<string, string>; open?: CookieSessions } = {},
): NextSessions {
  const { open = sessions, headers = {} } = options
  const request = browser.request('POST', '/', { headers })
  const next: NextRequestState = {
    headers: async () => request.headers,
    cookies: async () => ({
      getAll: () => [...browser.cookies].map(([name, value]) => ({ name, value })),
      set: () => {},
    }),
  }
  return createNextSessions(open, { ...next, redirect, cache, steps: options.steps })
}

/** A browser with this session in its cookies. */
async function browserOf(tokens: { accessToken: string; refreshToken: string }) {
  const browser = openCookieBrowser()
  const session = await sessions.open(browser.request('POST', '/'))
  await session.keep(tokens)
  const headers = new Headers()
  session.addHeaders(headers)
  browser.take({ headers })
  return browser
}

const signedIn = async () => browserOf(await auth.given.session())
const weak = async () => browserOf((await factors.aal2Session()).weak)
const strong = async () => browserOf(await factors.aal2Session())

async function ended() {
  const session = await auth.given.session()
  const browser = await browserOf(session)
  await auth.auth.admin.signOut(session.user.id)
  return browser
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'shown',
    (error) => (error instanceof Redirected ? error.message : error.code),
  )

describe('requireUser', () => {
  it.each([
    ['no session', async () => openCookieBrowser(), {}, '/sign-in'],
    ['a session that has ended', ended, {}, '/sign-in'],
    ['a session', signedIn, {}, 'shown'],
    ['a session without a factor, which the page requires', signedIn, { aal: 2 }, '/enroll'],
    ['a session without the factor of its user', weak, {}, '/verify'],
    ['the same, where the page requires a sign-in only', weak, { aal: 1 }, 'shown'],
    ['the same, where the page requires the factor', weak, { aal: 2 }, '/verify'],
    ['a session with the factor', strong, {}, 'shown'],
    ['the same, where the page requires the factor', strong, { aal: 2 }, 'shown'],
  ] as const)('leads %s to the page of its step', async (_, open, required, expected) => {
    const { requireUser } = functionsFor(await open(), { steps })

    expect(await outcome(requireUser(required))).toBe(expected)
  })

  it.each([
    ['no session', async () => openCookieBrowser(), {}, '/sign-in', null],
    ['a session without a factor', signedIn, { aal: 2 }, '/account/security', null],
    ['a session without its factor', weak, { aal: 2 }, '/second-factor', null],
    ['an old sign-in', signedIn, { within: '1s' }, '/sign-in', '1'],
  ] as const)(
    'leads %s to the page of the service, and back',
    async (_, open, required, path, again) => {
      const { requireUser } = functionsFor(await open())
      auth.clock.advance(2)

      const page = { ...required, returnTo: '/admin?page=2' }
      const url = new URL(await outcome(requireUser(page)), appOrigin)

      expect(url.pathname).toBe(path)
      expect(url.searchParams.get('redirect_to')).toBe(`${appOrigin}/admin?page=2`)
      expect(url.searchParams.get('again')).toBe(again)
    },
  )

  it('returns the stored user, and reads the session once for a page', async () => {
    const session = await auth.given.session()
    const browser = await browserOf(session)
    let opened = 0
    const open: CookieSessions['open'] = (...args) => {
      opened += 1
      return sessions.open(...args)
    }
    const { requireUser, getSession } = functionsFor(browser, { open: { ...sessions, open } })

    const [{ user }, { viewer }] = [await requireUser(), await getSession()]

    expect([user.id, viewer?.userId, opened]).toEqual([session.user.id, session.user.id, 1])
  })

  it('throws an error that no step removes', async () => {
    const unavailable = new AuthError('service_unavailable', 503, 'a test')
    const open: CookieSessions['open'] = async (...args) => ({
      ...(await sessions.open(...args)),
      requireUser: () => Promise.reject(unavailable),
    })
    const { requireUser } = functionsFor(await signedIn(), { open: { ...sessions, open }, steps })

    expect(await outcome(requireUser())).toBe('service_unavailable')
  })
})

describe('an action', () => {
  const stateOf = ({ action }: NextSessions) =>
    action(async (session) => {
      await session.requireUser({ aal: 2 })
    })({}, new FormData())

  it.each([
    ['of the application', { steps }, '/verify'],
    [
      'of the service, which leads back to the form',
      { headers: { referer: `${appOrigin}/account?tab=1` } },
      `/second-factor?${new URLSearchParams({ redirect_to: `${appOrigin}/account?tab=1` })}`,
    ],
    [
      'of the service, with a malformed `Referer`',
      { headers: { referer: 'http://' } },
      `/second-factor?${new URLSearchParams({ redirect_to: `${appOrigin}/` })}`,
    ],
  ])('names the page %s', async (_, options, stepUpUrl) => {
    const state = await stateOf(functionsFor(await weak(), options))

    expect(state).toMatchObject({ code: 'insufficient_aal', stepUp: 'verify', stepUpUrl })
  })

  it('names the sign-in page where the session has ended', async () => {
    const state = await stateOf(functionsFor(await ended(), { steps }))

    expect(state).toEqual({
      problem: expect.any(String),
      code: 'session_not_found',
      stepUpUrl: '/sign-in',
    })
  })

  it('names no page for an error of its input', async () => {
    const { action } = functionsFor(openCookieBrowser(), { steps })
    const signIn = action(({ api }, { email = '', password = '' }) =>
      api.signInWithPassword({ email, password }),
    )
    const form = new FormData()
    form.set('email', 'nobody@example.test')
    form.set('password', 'wrong password')

    expect(await signIn({}, form)).toEqual({
      problem: expect.any(String),
      code: 'invalid_credentials',
    })
  })
})
