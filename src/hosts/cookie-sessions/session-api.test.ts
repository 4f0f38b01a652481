import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type CookieBrowser,
  foreignSenders,
  openCookieBrowser,
} from '../../../test/support/cookie-browser.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { claimsIn, secondFactors } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { authMethods } from '../../service/api/auth-api.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'
import type { RequestSession } from './request-session.ts'

const origin = 'https://app.example.test'
const client = { 'user-agent': 'A browser', 'accept-language': 'de' }
const ip = '203.0.113.9'

let auth: MessagingAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startMessagingAuth()
  sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
})
afterAll(() => auth.close())

/** Serves one form of a page with a session, and sends its cookies. */
async function serve<T>(
  browser: CookieBrowser,
  act: (session: RequestSession) => Promise<T>,
  headers: Record<string, string | null> = {},
): Promise<T> {
  const request = browser.request('POST', '/', { headers: { ...client, ...headers } })
  const session = await sessions.open(request, { ip })
  try {
    return await act(session)
  } finally {
    const answer = new Headers()
    session.addHeaders(answer)
    browser.take({ headers: answer })
  }
}

const viewerIn = (browser: CookieBrowser) => serve(browser, async ({ viewer }) => viewer)

/** A browser that has signed a new user in. */
async function signedIn() {
  const user = await auth.given.user()
  const browser = openCookieBrowser()
  const email = user.email ?? ''
  await serve(browser, ({ api }) => api.signInWithPassword({ email, password: testPassword }))
  return { user, browser, email }
}

const storedSessions = (userId: string) =>
  auth.rows('select host(ip) as ip, user_agent from auth.sessions where user_id = $1', [userId])

const withoutSession = {
  code: 'no_authorization',
  status: 401,
  message: 'The request has no session in its cookies: sign in first',
}

describe('session.api (N06)', () => {
  it('has every method of auth.api, except those that a session replaces', async () => {
    const names = await serve(openCookieBrowser(), async ({ api }) => Object.keys(api))
    const replaced = ['exchangeCodeForSession', 'explainRedirect', 'refreshSession']

    expect(names.toSorted()).toEqual(
      Object.keys(authMethods)
        .filter((name) => !replaced.includes(name))
        .toSorted(),
    )
  })

  it('stores the session of a sign-in, with the client of the request', async () => {
    const { user, browser } = await signedIn()

    expect(await viewerIn(browser)).toMatchObject({ userId: user.id })
    expect(await storedSessions(user.id)).toEqual([{ ip, user_agent: 'A browser' }])
  })

  it('acts for the user of the session', async () => {
    const { user, browser } = await signedIn()

    const read = await serve(browser, ({ api }) => api.getUser())
    const changed = await serve(browser, ({ api }) => api.updateUser({ data: { name: 'Ada' } }))
    const listed = await serve(browser, ({ api }) => api.listSessions())

    expect(read.id).toBe(user.id)
    expect(changed.userMetadata).toMatchObject({ name: 'Ada' })
    expect(listed).toMatchObject([{ ip, userAgent: 'A browser' }])
  })

  it('supplies the languages of the request', async () => {
    const { browser } = await signedIn()
    const called = vi.spyOn(auth.auth.api, 'getUser')
    await serve(browser, ({ api }) => api.getUser())

    expect(called.mock.lastCall?.[1]).toEqual({ ip, userAgent: 'A browser', languages: ['de'] })
    called.mockRestore()
  })

  it('rejects calls for a user without a session, and names the cookies', async () => {
    const browser = openCookieBrowser()

    await expect(serve(browser, ({ api }) => api.getUser())).rejects.toMatchObject(withoutSession)
    await expect(serve(browser, (session) => session.requireUser())).rejects.toMatchObject(
      withoutSession,
    )
  })

  it('ignores an access token and a code challenge in an input, which may be a form', async () => {
    const one = await signedIn()
    const other = await auth.given.session()
    const form = { accessToken: other.accessToken, codeChallenge: 'x', data: { name: 'Eve' } }

    const changed = await serve(one.browser, ({ api }) => api.updateUser(form))
    await expect(
      serve(openCookieBrowser(), ({ api }) => api.updateUser(form)),
    ).rejects.toMatchObject(withoutSession)

    expect(changed.id).toBe(one.user.id)
  })

  it('replaces the cookies when a second factor raises the session', async () => {
    const { browser } = await signedIn()
    const enrolled = await serve(browser, ({ api }) => api.enrollFactor({ factorType: 'totp' }))
    const challenge = await serve(browser, ({ api }) =>
      api.challengeFactor({ factorId: enrolled.id }),
    )
    const code = secondFactors(auth).codeOf({ secret: enrolled.totp?.secret ?? '' })

    await serve(browser, ({ api }) =>
      api.verifyFactor({ factorId: enrolled.id, challengeId: challenge.id, code }),
    )

    const viewer = await viewerIn(browser)
    expect(viewer?.claims.aal).toBe('aal2')
    expect(claimsIn(viewer?.accessToken ?? '').aal).toBe('aal2')
  })

  it.each([
    [
      'a recovery',
      (email: string) =>
        ({ api }: RequestSession) =>
          api.resetPasswordForEmail({ email }),
    ],
    [
      'a link',
      (email: string) =>
        ({ api }: RequestSession) =>
          api.signInWithOtp({ email }),
    ],
  ])('starts %s, whose code this browser alone exchanges', async (_, start) => {
    const user = await auth.given.user()
    const email = user.email ?? ''
    const browser = openCookieBrowser()
    await serve(browser, async (session) => void (await start(email)(session)))
    const { url, fragment } = await auth.follow(await auth.messageTo(email))
    const code = url?.searchParams.get('code') ?? ''

    expect([code, fragment.get('access_token')]).toEqual([expect.stringMatching(/./), null])
    await expect(
      serve(openCookieBrowser(), (session) => session.exchangeCode(code)),
    ).rejects.toMatchObject({ code: 'flow_state_not_found' })
    await serve(browser, (session) => session.exchangeCode(code))
    expect(await viewerIn(browser)).toMatchObject({ userId: user.id })
  })

  it.each([
    ['/callback?next=/new-password', '/callback'],
    ['//evil.example.test/callback', '//evil.example.test/callback'],
  ])('leads back to %s on the origin of the application', async (redirectTo, path) => {
    const { email } = await auth.given.user()
    const browser = openCookieBrowser()
    await serve(browser, ({ api }) => api.resetPasswordForEmail({ email: email ?? '', redirectTo }))

    const { url } = await auth.follow(await auth.messageTo(email ?? ''))

    expect([url?.origin, url?.pathname]).toEqual([origin, path])
    expect(url?.searchParams.get('code')).toMatch(/./)
  })

  it('signs up by the link or the code of its mail', async () => {
    const byLink = openCookieBrowser()
    const byCode = openCookieBrowser()
    const signUp = (browser: CookieBrowser, email: string) =>
      serve(browser, ({ api }) => api.signUp({ email, password: testPassword }))
    const [one, other] = ['by-link@example.test', 'by-code@example.test'] as const
    await signUp(byLink, one)
    await signUp(byCode, other)

    const { url } = await auth.follow(await auth.messageTo(one))
    await serve(byLink, (session) => session.exchangeCode(url?.searchParams.get('code') ?? ''))
    const { code } = await auth.messageTo(other)
    await serve(byCode, ({ api }) => api.verifyOtp({ type: 'signup', email: other, token: code }))

    expect((await viewerIn(byLink))?.claims.email).toBe(one)
    expect((await viewerIn(byCode))?.claims.email).toBe(other)
  })

  it.each([
    ['signOut', ({ api }: RequestSession) => api.signOut()],
    ['signOut of this session', ({ api }: RequestSession) => api.signOut({ scope: 'local' })],
    ['deleteUser', ({ api }: RequestSession) => api.deleteUser({ password: testPassword })],
    [
      'revokeSession of itself',
      ({ api, viewer }: RequestSession) =>
        api.revokeSession({ sessionId: viewer?.sessionId?.toUpperCase() ?? '' }),
    ],
  ])('removes the cookies with %s', async (_, act) => {
    const { browser } = await signedIn()
    await serve(browser, (session) => act(session))

    expect([...browser.cookies]).toEqual([])
  })

  it('leaves the cookies when other sessions end', async () => {
    const { browser, user, email } = await signedIn()
    const other = await auth.auth.api.signInWithPassword({ email, password: testPassword })
    await serve(browser, ({ api }) => api.revokeSession({ sessionId: other.session.id }))
    await serve(browser, ({ api }) => api.signOut({ scope: 'others' }))
    const wrong = serve(browser, ({ api }) => api.deleteUser({ password: 'another one' }))
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_credentials' })
    const unknown = serve(browser, ({ api }) => api.revokeSession({ sessionId: other.session.id }))
    await expect(unknown).rejects.toMatchObject({ code: 'session_not_found', status: 404 })

    expect(await viewerIn(browser)).toMatchObject({ userId: user.id })
  })

  it('removes the cookies of a session that was ended elsewhere', async () => {
    const one = await signedIn()
    const two = await signedIn()
    await auth.auth.admin.signOut(one.user.id)
    await auth.auth.admin.signOut(two.user.id)

    await expect(serve(one.browser, ({ api }) => api.getUser())).rejects.toMatchObject({
      code: 'session_not_found',
    })
    await serve(two.browser, ({ api }) => api.signOut())

    expect([...one.browser.cookies, ...two.browser.cookies]).toEqual([])
  })

  it.each(foreignSenders)(
    'is rejected before it acts when %s sends the request',
    async (_, headers) => {
      const { email, id } = await auth.given.user()
      const foreign = serve(
        openCookieBrowser(),
        ({ api }) => api.signInWithPassword({ email: email ?? '', password: testPassword }),
        headers,
      )

      await expect(foreign).rejects.toMatchObject({ code: 'origin_not_allowed' })
      expect(await storedSessions(id)).toEqual([])
    },
  )

  it('acts for a bearer token, and leaves the cookies', async () => {
    const { accessToken, user } = await auth.given.session()
    const browser = openCookieBrowser()
    const bearer = { authorization: `Bearer ${accessToken}`, origin: null }
    const read = await serve(browser, ({ api }) => api.getUser(), bearer)
    await serve(browser, ({ api }) => api.signInWithOtp({ email: user.email ?? '' }), bearer)
    const { session } = await serve(
      browser,
      ({ api }) => api.signInWithPassword({ email: user.email ?? '', password: testPassword }),
      bearer,
    )

    expect(read.id).toBe(user.id)
    expect(session.refreshToken).toMatch(/./)
    expect([...browser.cookies]).toEqual([])
  })

  it.each([[null], ['text'], [5], [[]], [{ email: 5 }], [{ email: {}, password: [] }]])(
    'rejects the input %j with an AuthError',
    async (input) => {
      const given = input as unknown as { email: string; password: string }
      await expect(
        serve(openCookieBrowser(), ({ api }) => api.signInWithPassword(given)),
      ).rejects.toMatchObject({ name: 'AuthError', status: 400 })
    },
  )

  it('stores one session of 20 concurrent forms of a browser', async () => {
    const { browser, user, email } = await signedIn()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        serve(browser, ({ api }) => api.signInWithPassword({ email, password: testPassword })),
      ),
    )

    expect(await viewerIn(browser)).toMatchObject({ userId: user.id })
  })
})
