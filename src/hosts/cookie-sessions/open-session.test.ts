import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type CookieBrowser,
  foreignSenders,
  openCookieBrowser,
} from '../../../test/support/cookie-browser.ts'
import { type MeteredAuth, startMeteredAuth } from '../../../test/support/metered-auth.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'

let auth: MeteredAuth
let sessions: CookieSessions

const origin = 'https://app.example.test'
const open = (browser: CookieBrowser, path = '/') => sessions.open(browser.request('GET', path))

beforeAll(async () => {
  auth = await startMeteredAuth()
  sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
})
afterAll(() => auth.close())

/** A browser whose user has just signed in by a form of the application. */
async function signedIn(email?: string) {
  const user = await auth.given.user(email)
  const browser = openCookieBrowser()
  const session = await sessions.open(browser.request('POST', '/sign-in'))
  const credentials = { email: user.email ?? '', password: testPassword }
  const signIn = await auth.auth.api.signInWithPassword(credentials)
  await session.keep(signIn.session)
  const headers = new Headers()
  session.addHeaders(headers)
  browser.take({ headers })
  return { user, browser, headers, session: signIn.session }
}

async function renewedBy(browser: CookieBrowser) {
  const headers = new Headers()
  const session = await open(browser)
  session.addHeaders(headers)
  return { headers }
}

const expire = () => auth.clock.advance(3_600)
const refreshes = async (actorId: string) =>
  (await auth.auth.admin.listAudit({ actorId, action: 'token_refreshed' })).entries

describe('a session in cookies', () => {
  it('is read without a query while its access token is valid', async () => {
    const { browser, user } = await signedIn()

    const { result, ...cost } = await auth.measure(() => open(browser))

    expect(cost).toMatchObject({ statements: 0 })
    expect(result.viewer).toMatchObject({ userId: user.id, claims: { email: user.email } })
    const headers = new Headers()
    result.addHeaders(headers)
    expect([...headers]).toEqual([])
  })

  it('is stored by a response that caches do not store', async () => {
    const { headers } = await signedIn()

    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  it('is renewed after it has expired, by one statement, and sent', async () => {
    const { browser, user } = await signedIn()
    const before = browser.cookies.get('__Host-latchkey-session')
    expire()

    const { result, ...cost } = await auth.measure(() => open(browser))
    const headers = new Headers()
    result.addHeaders(headers)
    browser.take({ headers })

    expect(cost).toMatchObject({ statements: 1, trips: 1 })
    expect(result.viewer?.userId).toBe(user.id)
    expect(browser.cookies.get('__Host-latchkey-session')).not.toBe(before)
    const next = await auth.measure(() => open(browser))
    expect(next).toMatchObject({ statements: 0, result: { viewer: { userId: user.id } } })
  })

  it('is renewed once by 20 concurrent requests, and remains valid', async () => {
    const { browser, user } = await signedIn()
    expire()

    const all = await Promise.all(Array.from({ length: 20 }, () => open(browser)))
    const late = await open(browser)

    expect(new Set(all.map(({ viewer }) => viewer?.accessToken)).size).toBe(1)
    expect(late.viewer?.accessToken).toBe(all[0]?.viewer?.accessToken)
    expect(await refreshes(user.id)).toHaveLength(1)
    const headers = new Headers()
    all[7]?.addHeaders(headers)
    browser.take({ headers })
    expire()
    expect((await open(browser)).viewer?.userId).toBe(user.id)
  })

  it('is renewed by 20 concurrent requests to two instances with one successor, whichever response comes last', async () => {
    const { browser, user } = await signedIn()
    const beside = await auth.beside()
    const others = openCookieSessions(beside.auth, { origin }, auth.clock)
    expire()

    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? sessions : others).open(browser.request('GET', `/${at}`)),
      ),
    )
    const taken = all.map((session) => {
      const copy = openCookieBrowser(new Map(browser.cookies))
      const headers = new Headers()
      session.addHeaders(headers)
      copy.take({ headers })
      return copy
    })

    expect(all.map(({ viewer }) => viewer?.userId)).toEqual(all.map(() => user.id))
    expect(new Set(taken.map(({ cookies }) => cookies.get('__Host-latchkey-state'))).size).toBe(1)
    expire()
    for (const one of [taken[0], taken[19]]) {
      const next = await others.open({
        method: 'GET',
        headers: one?.request('GET', '/').headers ?? {},
      })
      expect(next.viewer?.userId).toBe(user.id)
    }
    await beside.close()
  })

  it('is valid in one instance only if refresh tokens may not be reused', async () => {
    const { browser, user } = await signedIn()
    const strict = await auth.beside({ security: { refreshTokens: { reuseIntervalSeconds: 0 } } })
    const others = openCookieSessions(strict.auth, { origin }, auth.clock)
    expire()

    const first = await open(browser)
    auth.clock.advance(1)
    const second = await others.open(browser.request('GET', '/'))
    await strict.close()

    expect([first.viewer?.userId, second.viewer]).toEqual([user.id, null])
  })

  it('keeps the refresh token if no cookie can be set', async () => {
    const { browser, user } = await signedIn()
    expire()

    const rendered = await sessions.open(browser.request('GET', '/'), { renew: false })

    expect(rendered.viewer).toBeNull()
    expect(await refreshes(user.id)).toHaveLength(0)
    expect((await open(browser)).viewer?.userId).toBe(user.id)
  })

  it('is not restored by a slower request with the old cookies, after its end', async () => {
    const { browser } = await signedIn()
    expire()
    const slow = browser.request('GET', '/')
    browser.take(await renewedBy(browser))

    await (await sessions.open(browser.request('POST', '/sign-out'))).signOut()

    expect((await sessions.open(slow)).viewer).toBeNull()
  })

  it('is not restored by a renewal whose response was sent while it ended', async () => {
    const { browser } = await signedIn()
    const leaving = await sessions.open(browser.request('POST', '/sign-out'))
    auth.clock.advance(3_600 - 60)
    const { api } = auth.auth
    const refresh = api.refreshSession
    const requested = vi.spyOn(api, 'refreshSession').mockImplementation(async (...given) => {
      const answer = await refresh(...given)
      await leaving.signOut()
      return answer
    })

    expect((await open(browser)).viewer).toBeNull()
    requested.mockRestore()
  })

  it("is set in a host's jar at once", async () => {
    const { browser } = await signedIn()
    expire()
    const set = new Map<string, object>()

    await sessions.open(browser.request('GET', '/'), {
      jar: { set: (name, _, attributes) => void set.set(name, attributes) },
    })

    expect(set.get('__Host-latchkey-session')).toEqual({
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'lax',
      maxAge: 34_560_000,
    })
  })

  it("is passed on in the request's headers", async () => {
    const { browser, user } = await signedIn()
    expire()
    const proxy = await open(browser)

    const page = await sessions.open(
      { method: 'GET', headers: { cookie: proxy.cookieHeader() } },
      { renew: false },
    )

    expect(page.viewer?.userId).toBe(user.id)
  })

  it('ends after it was ended elsewhere, at its renewal or when its user is required', async () => {
    const one = await signedIn()
    const two = await signedIn()
    await auth.auth.admin.signOut(one.user.id)
    await auth.auth.admin.signOut(two.user.id)

    const requested = await open(one.browser)
    await expect(requested.requireUser()).rejects.toMatchObject({ code: 'session_not_found' })
    expire()
    const renewed = await open(two.browser)

    for (const [{ browser }, session] of [
      [one, requested],
      [two, renewed],
    ] as const) {
      const headers = new Headers()
      session.addHeaders(headers)
      browser.take({ headers })
      expect(session.viewer).toBeNull()
      expect([...browser.cookies]).toEqual([])
    }
  })

  it('ends at its renewal with a malformed refresh token, and not by an invalid input', async () => {
    const { browser } = await signedIn()
    const session = await open(browser)
    const update = session.api.updateUser({ email: 'no address' })
    await expect(update).rejects.toMatchObject({ code: 'validation_failed' })
    expect(session.viewer).not.toBeNull()

    const name = '__Host-latchkey-session'
    const [count, id, , ...rest] = (browser.cookies.get(name) ?? '').split('.')
    browser.cookies.set(name, [count, id, 'malformed', ...rest].join('.'))
    expire()
    browser.take(await renewedBy(browser))

    expect([...browser.cookies]).toEqual([])
  })

  it('is signed out without other sessions, unless all are requested', async () => {
    const here = await signedIn()
    const there = await auth.auth.api.signInWithPassword({
      email: here.user.email ?? '',
      password: testPassword,
    })

    const session = await sessions.open(here.browser.request('POST', '/sign-out'))
    await session.signOut()
    const headers = new Headers()
    session.addHeaders(headers)
    here.browser.take({ headers })

    expect([...here.browser.cookies]).toEqual([])
    await expect(
      auth.auth.api.refreshSession({ refreshToken: here.session.refreshToken }),
    ).rejects.toMatchObject({ code: 'refresh_token_not_found' })
    await auth.auth.api.refreshSession({ refreshToken: there.session.refreshToken })
  })
})

describe('a request that is not authenticated by cookies alone', () => {
  it.each(foreignSenders)('is rejected when %s sends it with a session', async (_, headers) => {
    const { browser } = await signedIn()

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'post', 'PROPFIND']) {
      const request = browser.request(method, '/', { headers })
      await expect(sessions.open(request)).rejects.toMatchObject({
        status: 403,
        code: 'origin_not_allowed',
      })
    }
  })

  it('is one of any host, and of an unknown method', async () => {
    const { browser, user } = await signedIn()
    const cookie = browser.request('GET', '/').headers.get('cookie') ?? ''
    const post = { method: 'POST', headers: { cookie, origin: 'https://evil.test' } }

    for (const request of [
      post,
      { req: post },
      { req: { ...post, headers: new Headers(post.headers) } },
      { headers: post.headers },
      { req: { headers: post.headers } },
      { method: undefined, headers: { cookie } },
    ])
      await expect(sessions.open(request)).rejects.toMatchObject({ code: 'origin_not_allowed' })
    for (const request of [
      { method: 'get', headers: { cookie } },
      { req: { method: 'HEAD', headers: { cookie } } },
      { headers: { cookie, origin } },
    ])
      expect((await sessions.open(request)).viewer?.userId).toBe(user.id)
  })

  it('is rejected when a page of another origin opens a WebSocket', async () => {
    const { browser, user } = await signedIn()
    const upgrade = (from: string) =>
      sessions.open({
        method: 'GET',
        headers: {
          cookie: browser.request('GET', '/').headers.get('cookie') ?? '',
          upgrade: 'websocket',
          origin: from,
        },
      })

    await expect(upgrade('https://evil.app.example.test')).rejects.toMatchObject({
      code: 'origin_not_allowed',
    })
    expect((await upgrade(origin)).viewer?.userId).toBe(user.id)
  })

  it.each(foreignSenders)(
    'creates no session when %s sends it: a login CSRF',
    async (_, headers) => {
      const browser = openCookieBrowser()
      const attacker = await auth.given.session()

      const session = await sessions.open(browser.request('POST', '/sign-in', { headers }))

      expect(session.viewer).toBeNull()
      await expect(session.keep(attacker)).rejects.toMatchObject({ code: 'origin_not_allowed' })
      await expect(session.exchangeCode('code')).rejects.toMatchObject({
        code: 'origin_not_allowed',
      })
      const answer = new Headers()
      session.addHeaders(answer)
      expect(answer.getSetCookie()).toEqual([])
    },
  )

  it('gets a response if it only reads, such as a link from another site', async () => {
    const { browser, user } = await signedIn()
    const headers = { 'sec-fetch-site': 'cross-site', referer: 'https://evil.test/' }

    const session = await sessions.open(browser.request('GET', '/', { headers }))

    expect(session.viewer?.userId).toBe(user.id)
  })
})

describe('a bearer token with cookies', () => {
  it('is used alone, from any origin', async () => {
    const { browser } = await signedIn()
    const { user, accessToken } = await auth.given.session()
    const headers = { origin: 'https://evil.test', authorization: `Bearer ${accessToken}` }

    const session = await sessions.open(browser.request('POST', '/', { headers }))

    expect(session.viewer?.userId).toBe(user.id)
    expect((await session.requireUser()).user.id).toBe(user.id)
  })

  it('that is invalid is not replaced by the cookies', async () => {
    const { browser } = await signedIn()
    const headers = { authorization: 'Bearer a.b.c' }

    await expect(sessions.open(browser.request('GET', '/', { headers }))).rejects.toMatchObject({
      code: 'bad_jwt',
    })
  })

  it('of another user does not change the cookies, and is not mixed with them', async () => {
    const { browser } = await signedIn()
    const before = new Map(browser.cookies)
    const other = await auth.given.session()
    const headers = { authorization: `Bearer ${other.accessToken}` }

    const session = await sessions.open(browser.request('POST', '/', { headers }))
    const stored = JSON.parse(session.clientOptions().storage.getItem('latchkey') ?? '')

    expect(stored.access_token).toBe(other.accessToken)
    expect(stored.refresh_token).toMatch(/^cookie-/)
    await expect(session.keep(other)).rejects.toMatchObject({ status: 409, code: 'conflict' })
    await expect(session.signOut()).rejects.toMatchObject({ code: 'conflict' })
    session.clientOptions().storage.removeItem('latchkey')
    const answer = new Headers()
    session.addHeaders(answer)
    browser.take({ headers: answer })
    expect(browser.cookies).toEqual(before)
  })
})

it('does not accept a session that a neighbouring host has set as its own', async () => {
  const attacker = await signedIn()
  const victim = await signedIn()
  const planted = attacker.browser.cookies.get('__Host-latchkey-session') ?? ''
  const own = victim.browser.request('GET', '/').headers.get('cookie')
  const opened = (cookie: string) => sessions.open({ method: 'GET', headers: { cookie } })

  const [plain, twice, first] = await Promise.all([
    opened(`latchkey-session=${planted}; ${own}`),
    opened(`${own}; __Host-latchkey-session=${planted}`),
    opened(`__Host-latchkey-session=${planted}; ${own}`),
  ])

  expect(plain.viewer?.userId).toBe(victim.user.id)
  expect([twice.viewer, first.viewer]).toEqual([null, null])
})

it('T32: replaces a session that was planted before a sign-in', async () => {
  const attacker = await signedIn()
  const user = await auth.given.user()
  const { browser } = attacker

  const session = await sessions.open(browser.request('POST', '/sign-in'))
  const credentials = { email: user.email ?? '', password: testPassword }
  await session.keep((await auth.auth.api.signInWithPassword(credentials)).session)
  const headers = new Headers()
  session.addHeaders(headers)
  browser.take({ headers })

  const next = await open(browser)
  expect(next.viewer?.userId).toBe(user.id)
  expect(next.viewer?.sessionId).not.toBe(attacker.session.id)
})
