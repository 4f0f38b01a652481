import { once } from 'node:events'
import { createServer, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CookieBrowser,
  foreignSenders,
  openCookieBrowser,
} from '../../../test/support/cookie-browser.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { User } from '../../accounts/users/user.ts'
import { toNode } from '../adapters/node.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'

let auth: TestAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startTestAuth()
  sessions = openCookieSessions(auth.auth, { origin: 'https://app.example.test' }, auth.clock)
})
afterAll(() => auth.close())

interface RequestOptions {
  body?: unknown
  token?: string
  headers?: Record<string, string | null>
}

/** Sends a request of a page whose session is in cookies. */
async function ask(
  browser: CookieBrowser,
  method: string,
  path: string,
  options: RequestOptions = {},
) {
  const { body, token, headers } = options
  const request = browser.request(method, path, {
    body,
    headers: {
      'x-use-cookie': '1',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
  const answer = await sessions.fetch(request, { ip: '203.0.113.7' })
  const set = browser.take(answer)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, set, body: text && JSON.parse(text) }
}

async function signIn(user: User) {
  const browser = openCookieBrowser()
  const { body } = await ask(browser, 'POST', '/token?grant_type=password', {
    body: { email: user.email, password: testPassword },
  })
  return { user, browser, body, token: body.access_token as string }
}

const signedIn = async () => signIn(await auth.given.user())

const viewerOf = async (browser: CookieBrowser) =>
  (await sessions.open(browser.request('GET', '/'))).viewer

describe('the wire for pages whose session is in cookies', () => {
  it('stores the session of a sign-in, and does not return the refresh token', async () => {
    const { browser, body, user } = await signedIn()

    expect(body.user.id).toBe(user.id)
    expect(body.refresh_token).toMatch(/^cookie-[0-9a-f-]{36}$/)
    expect((await viewerOf(browser))?.userId).toBe(user.id)
  })

  it('warns once of a client whose requests reach the service without cookie sessions', async () => {
    const warnings = () => auth.log.filter(({ message }) => message.includes('x-use-cookie'))
    const { user } = await signedIn()
    const before = warnings().length
    const credentials = { email: user.email, password: testPassword }
    const ask = () =>
      auth.post('/token?grant_type=password', credentials, { headers: { 'x-use-cookie': '1' } })

    await auth.get('/settings', { headers: { 'x-use-cookie': '1' } })
    const afterOthers = warnings().length
    const { body } = await ask()
    await ask()

    expect(afterOthers).toBe(0)
    expect(body.refresh_token).not.toMatch(/^cookie-/)
    expect(before).toBe(0)
    expect(warnings()).toEqual([
      {
        level: 'warn',
        fields: {},
        message: expect.stringContaining('Mount the sessions in place of the service'),
      },
    ])
  })

  it('S31: sends nosniff with every JSON response, errors included', async () => {
    const { browser, token } = await signedIn()
    const other = openCookieBrowser()
    const headersOf = async (requested: ReturnType<typeof ask>) => {
      const { status, headers } = await requested
      return [
        status,
        headers.get('content-type')?.slice(0, 16),
        headers.get('x-content-type-options'),
      ]
    }

    const answers = [
      await headersOf(ask(browser, 'GET', '/session')),
      await headersOf(ask(browser, 'GET', '/user', { token })),
      await headersOf(ask(other, 'POST', '/token?grant_type=refresh_token', { body: {} })),
      await headersOf(ask(browser, 'GET', '/nowhere', { headers: { 'x-use-cookie': null } })),
      await headersOf(ask(browser, 'DELETE', '/settings')),
      await headersOf(ask(browser, 'POST', '/signup', { body: { data: 'x'.repeat(70_000) } })),
      await headersOf(
        ask(browser, 'POST', '/logout', { headers: { origin: 'https://evil.example.test' } }),
      ),
    ]
    expect(new Set(answers.map(([status]) => status)).size).toBeGreaterThan(4)
    for (const answer of answers) expect(answer.slice(1)).toEqual(['application/json', 'nosniff'])
  })

  it('accepts the name of the session in place of its access token, also in a request with a body', async () => {
    const { browser, body, user } = await signedIn()
    const token = body.refresh_token

    const read = await ask(browser, 'GET', '/user', { token })
    const changed = await ask(browser, 'PUT', '/user', { token, body: { data: { name: 'Ada' } } })
    const signedOut = await ask(browser, 'POST', '/logout', { token })

    expect([read.status, read.body.id]).toEqual([200, user.id])
    expect([changed.status, changed.body.user_metadata.name]).toEqual([200, 'Ada'])
    expect([signedOut.status, await viewerOf(browser)]).toEqual([204, null])
  })

  it('keeps the session where a refresh names another kind of sign-in, too', async () => {
    const { browser } = await signedIn()
    const path = '/token?grant_type=refresh_token&grant_type=password'

    const { status } = await ask(browser, 'POST', path, { body: {} })

    expect([status, await viewerOf(browser)]).toEqual([400, expect.anything()])
  })

  it('names the fault where the host has read the body before', async () => {
    const { browser, body } = await signedIn()
    const authorization = `Bearer ${body.refresh_token}`
    const headers = { 'x-use-cookie': '1', authorization }
    const request = browser.request('PUT', '/user', { body: { data: {} }, headers })
    await request.text()

    const answer = await sessions.fetch(request, { ip: '203.0.113.7' })

    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('the host has read the body')
  })

  it('rejects the name of another session than that of the cookies, and one without cookies', async () => {
    const ada = await signedIn()
    const eve = await signedIn()
    const token = ada.body.refresh_token

    const answers = await Promise.all(
      [eve.browser, openCookieBrowser()].map((browser) => ask(browser, 'GET', '/user', { token })),
    )

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [409, 'conflict'],
      [409, 'conflict'],
    ])
  })

  it('permits no other origins, and no caches', async () => {
    const { browser, token } = await signedIn()

    const { headers } = await ask(browser, 'GET', '/user', { token })

    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  it('renews the session by the cookie, whatever refresh token a page sends', async () => {
    const { browser, body, user } = await signedIn()
    const before = browser.cookies.get('__Host-latchkey-state')

    const renewed = await ask(browser, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: body.refresh_token },
    })

    expect(renewed.status).toBe(200)
    // The client would treat another value as another sign-in.
    expect(renewed.body.refresh_token).toBe(body.refresh_token)
    expect(browser.cookies.get('__Host-latchkey-state')).not.toBe(before)
    expect((await viewerOf(browser))?.userId).toBe(user.id)
  })

  it('returns the session with its user, renewed if it has expired, or null', async () => {
    const { browser, user } = await signedIn()
    auth.clock.advance(3_600)

    const known = await ask(browser, 'GET', '/session')
    const unknown = await ask(openCookieBrowser(), 'GET', '/session')

    expect(known.body).toMatchObject({
      expires_in: 3_600,
      user: { id: user.id, email: user.email },
    })
    expect(known.body.refresh_token).toMatch(/^cookie-/)
    expect(known.set).toHaveLength(2)
    expect([unknown.status, unknown.body, unknown.set]).toEqual([200, null, []])
  })

  it('removes the cookies of a session that has ended elsewhere', async () => {
    const one = await signedIn()
    const two = await signedIn()
    await Promise.all([one, two].map(({ user }) => auth.auth.admin.signOut(user.id)))

    const ofSession = await ask(one.browser, 'GET', '/session')
    const renewed = await ask(two.browser, 'POST', '/token?grant_type=refresh_token', { body: {} })

    expect([ofSession.status, ofSession.body]).toEqual([200, null])
    expect([renewed.status, renewed.body.error_code]).toEqual([400, 'refresh_token_not_found'])
    expect([one.browser.cookies.size, two.browser.cookies.size]).toEqual([0, 0])
  })

  it('removes them at a sign-out, but not at one of the others', async () => {
    const { browser, token } = await signedIn()

    const others = await ask(browser, 'POST', '/logout?scope=others', { token })
    expect([others.status, browser.cookies.size]).toEqual([204, 2])
    const local = await ask(browser, 'POST', '/logout?scope=local', { token })
    expect([local.status, browser.cookies.size]).toEqual([204, 0])
  })

  it('removes them when the user ends the current session, but not with another one', async () => {
    const { browser, token, user } = await signedIn()
    const { id } = (await auth.auth.admin.listSessions(user.id))[0] ?? { id: '' }
    const { session: other } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: testPassword,
    })
    const end = (path: string) => ask(browser, 'DELETE', `/user/sessions${path}`, { token })

    const one = await end(`/${other.id}`)
    const others = await end('?scope=others')
    expect([one.status, others.status, browser.cookies.size]).toEqual([204, 204, 2])
    const own = await end(`/${id.toUpperCase()}`)
    expect([own.status, browser.cookies.size]).toEqual([204, 0])
  })

  it.each(['local', 'global'])('removes them by DELETE /user/sessions?scope=%s', async (scope) => {
    const { browser, token } = await signedIn()

    const { status } = await ask(browser, 'DELETE', `/user/sessions?scope=${scope}`, { token })

    expect([status, browser.cookies.size]).toEqual([204, 0])
  })

  it.each(['/logout/', '/%6Cogout', '/./logout'])(
    'removes them at a sign-out by %s',
    async (path) => {
      const { browser, token } = await signedIn()

      const { status } = await ask(browser, 'POST', path, { token })

      expect([status, browser.cookies.size]).toEqual([204, 0])
    },
  )

  it('passes on a request for another path of the host', async () => {
    const { browser } = await signedIn()
    const url = 'http://auth.test/blog1/session'

    const mounted = { ...auth.auth, basePath: '/auth1' }
    const { fetch } = openCookieSessions(
      mounted,
      { origin: 'https://app.example.test' },
      auth.clock,
    )
    const headers = { cookie: browser.request('GET', '/').headers.get('cookie') ?? '' }

    expect((await fetch(new Request(url, { headers }))).status).toBe(404)
    expect((await fetch(new Request('http://auth.test/AUTH1/session', { headers }))).status).toBe(
      400,
    )
  })

  it('responds to a path that cannot be decoded', async () => {
    const { browser } = await signedIn()

    expect((await ask(browser, 'GET', '/session%zz')).status).toBe(404)
  })

  it('does not restore a session by a slower request with the old cookies, after a sign-out', async () => {
    const { browser } = await signedIn()
    auth.clock.advance(3_600)
    const slow = browser.request('GET', '/')
    const { body } = await ask(browser, 'GET', '/session')

    await ask(browser, 'POST', '/logout?scope=local', { token: body.access_token })

    expect((await sessions.open(slow)).viewer).toBeNull()
  })

  it('removes them at a sign-out with a token that has expired, for example because of a slow clock', async () => {
    const { browser, token, user } = await signedIn()
    auth.clock.advance(3_700)

    const { status } = await ask(browser, 'POST', '/logout', { token })

    expect([status, browser.cookies.size]).toEqual([204, 0])
    expect(await auth.auth.admin.listSessions(user.id)).toEqual([])
  })

  it('S106: keeps them, and the sessions of their user, at a sign-out of a page of another user whose token has expired', async () => {
    const former = await signedIn()
    auth.clock.advance(3_700)
    const { browser, user } = await signedIn()

    const { status, body } = await ask(browser, 'POST', '/logout', { token: former.token })

    expect([status, body.error_code]).toEqual([409, 'conflict'])
    expect((await viewerOf(browser))?.userId).toBe(user.id)
    expect(await auth.auth.admin.listSessions(user.id)).toHaveLength(1)
  })

  it('removes them at a sign-out from a session that has ended elsewhere', async () => {
    const { browser, token, user } = await signedIn()
    await auth.auth.admin.signOut(user.id)

    const { status, body } = await ask(browser, 'POST', '/logout?scope=local', { token })

    expect([status, body.error_code]).toEqual([403, 'session_not_found'])
    expect(browser.cookies.size).toBe(0)
  })

  it('T30: contains the verified methods only, before a second factor and after', async () => {
    const factors = secondFactors(auth)
    const { user, app } = await factors.aal2Session()
    const { browser, token } = await signIn(user)
    expect((await viewerOf(browser))?.claims.aal).toBe('aal1')

    const challenge = await ask(browser, 'POST', `/factors/${app.id}/challenge`, {
      token,
      body: {},
    })
    const answer = (code: string) =>
      ask(browser, 'POST', `/factors/${app.id}/verify`, {
        token,
        body: { challenge_id: challenge.body.id, code },
      })

    const wrong = await answer(factors.wrongCodeOf(app))
    expect([wrong.status, wrong.set]).toEqual([422, []])
    expect((await viewerOf(browser))?.claims.aal).toBe('aal1')
    const right = await answer(factors.codeOf(app))
    expect([right.status, right.body.refresh_token]).toEqual([
      200,
      expect.stringMatching(/^cookie-/),
    ])
    expect((await viewerOf(browser))?.claims.aal).toBe('aal2')
  })
})

describe('a request with cookies from another origin', () => {
  it.each(foreignSenders)('is rejected before it has an effect (%s)', async (_, headers) => {
    const { browser, token, user } = await signedIn()
    const before = new Map(browser.cookies)

    const answers = [
      await ask(browser, 'PUT', '/user', { token, body: { data: { a: 1 } }, headers }),
      await ask(browser, 'POST', '/token?grant_type=refresh_token', { body: {}, headers }),
      await ask(browser, 'POST', '/logout', { token, headers }),
    ]

    for (const { status, body, set } of answers)
      expect([status, body.error_code, set]).toEqual([403, 'origin_not_allowed', []])
    expect(browser.cookies).toEqual(before)
    expect((await auth.auth.admin.getUser(user.id))?.userMetadata).not.toHaveProperty('a')
    expect((await viewerOf(browser))?.userId).toBe(user.id)
  })

  it.each(foreignSenders)('creates no session: a login CSRF (%s)', async (_, headers) => {
    const attacker = await auth.given.user()
    const browser = openCookieBrowser()

    const { status, body } = await ask(browser, 'POST', '/token?grant_type=password', {
      body: { email: attacker.email, password: testPassword },
      headers,
    })

    expect([status, body.error_code, browser.cookies.size]).toEqual([403, 'origin_not_allowed', 0])
  })

  it('does not receive the session either', async () => {
    const { browser } = await signedIn()

    for (const [, headers] of foreignSenders.slice(0, 3)) {
      const { status, body } = await ask(browser, 'GET', '/session', { headers })
      expect([status, body.error_code]).toEqual([403, 'origin_not_allowed'])
    }
  })

  it('uses the plain wire without the header: cookies are neither read nor set', async () => {
    const { browser } = await signedIn()
    const credentials = { email: (await auth.given.user()).email, password: testPassword }
    const headers = { 'x-use-cookie': null, origin: 'https://evil.test' }

    const user = await ask(browser, 'GET', '/user', { headers })
    const posted = await ask(browser, 'POST', '/token?grant_type=password', {
      body: credentials,
      headers,
    })

    expect([user.status, user.body.error_code]).toEqual([401, 'no_authorization'])
    expect([posted.status, posted.set]).toEqual([200, []])
    expect(posted.body.refresh_token).not.toMatch(/^cookie-/)
    expect(posted.headers.get('access-control-allow-origin')).toBe('*')
  })
})

it('returns an error that names the header to a page that requests its session without it', async () => {
  const { browser } = await signedIn()

  const { status, body, set } = await ask(browser, 'GET', '/session', {
    headers: { 'x-use-cookie': null },
  })

  expect([status, body.error_code, set]).toEqual([400, 'validation_failed', []])
  expect(body.msg).toContain('x-use-cookie: 1')
})

describe('a bearer token beside the cookies of a page', () => {
  it('of another session is rejected, so that two users are not mixed', async () => {
    const { browser, user } = await signedIn()
    const other = await auth.given.session()
    const before = new Map(browser.cookies)

    const answer = await ask(browser, 'PUT', '/user', {
      token: other.accessToken,
      body: { data: { a: 1 } },
    })
    const without = await ask(openCookieBrowser(), 'GET', '/user', { token: other.accessToken })

    expect([answer.status, answer.body.error_code]).toEqual([409, 'conflict'])
    expect([without.status, without.body.error_code]).toEqual([409, 'conflict'])
    expect(browser.cookies).toEqual(before)
    expect((await auth.auth.admin.getUser(other.user.id))?.userMetadata).not.toHaveProperty('a')
    expect((await viewerOf(browser))?.userId).toBe(user.id)
  })

  it('of the same session, from before it was renewed, is accepted', async () => {
    const { browser, token, user } = await signedIn()
    await ask(browser, 'POST', '/token?grant_type=refresh_token', { body: {} })

    const { status, body } = await ask(browser, 'GET', '/user', { token })

    expect([status, body.id]).toEqual([200, user.id])
  })

  it('that is invalid ends no session', async () => {
    const { browser } = await signedIn()

    const { status, body } = await ask(browser, 'GET', '/user', { token: 'a.b.c' })

    expect([status, body.error_code, browser.cookies.size]).toEqual([401, 'bad_jwt', 2])
  })
})

describe('mounted in a server of node:http', () => {
  let url: string
  const server = createServer(
    toNode({ app: { fetch: (request) => sessions.fetch(request) } }) as never,
  )

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method,
      headers: { 'x-use-cookie': '1', origin: 'https://app.example.test', ...headers },
    })

  const cookiesOf = ({ cookies }: CookieBrowser) =>
    [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  it.each(['/session', '/user', '/settings', '/nowhere'])(
    'responds to HEAD %s without a body',
    async (path) => {
      const { status } = await send('HEAD', path)

      expect(status).toBeGreaterThanOrEqual(200)
      expect(status).toBeLessThan(500)
    },
  )

  it('signs out with the largest metadata, whose token fits the headers of a request once only', async () => {
    const user = await auth.given.user()
    const data = { notes: 'x'.repeat(3_900) }
    await auth.auth.admin.updateUser(user.id, { userMetadata: data, appMetadata: data })
    const { browser, body } = await signIn(user)
    const signOut = (token: string) => {
      const headers = { cookie: cookiesOf(browser), authorization: `Bearer ${token}` }
      return send('POST', '/logout?scope=local', headers)
    }

    const twice = await signOut(body.access_token)
    const onlyOnce = await signOut(body.refresh_token)

    expect([twice.status, onlyOnce.status]).toEqual([431, 204])
  })

  it('signs out by the cookies without a valid token', async () => {
    const { browser, user } = await signedIn()
    const cookie = cookiesOf(browser)

    const { status } = await send('POST', '/logout', { cookie, authorization: 'Bearer junk' })

    expect(status).toBe(204)
    expect(await auth.auth.admin.listSessions(user.id)).toEqual([])
  })

  it('rejects a method that no Request can have, also with the name of the session', async () => {
    const { browser, body } = await signedIn()
    const cookie = cookiesOf(browser)
    const origin = 'https://app.example.test'
    const authorization = `Bearer ${body.refresh_token}`
    const headers = { 'x-use-cookie': '1', origin, cookie, authorization }

    const [answer] = await once(
      openRequest(`${url}/logout`, { method: 'TRACE', headers }).end(),
      'response',
    )

    expect(answer.statusCode).toBe(405)
  })

  it('responds to a fault, and continues', async () => {
    const { browser } = await signedIn()
    const cookie = cookiesOf(browser)
    const { fetch: working } = auth.auth
    auth.auth.fetch = () => Promise.reject(new Error('broken'))

    const broken = await send('GET', '/user', { cookie })
    auth.auth.fetch = working

    expect([broken.status, await broken.json()]).toEqual([
      500,
      expect.objectContaining({ error_code: 'unexpected_failure' }),
    ])
    expect((await send('GET', '/settings')).status).toBe(200)
  })
})
