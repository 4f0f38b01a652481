import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CookieBrowser, openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { answerWithSession } from './answer-with-session.ts'
import { sessionMiddleware } from './astro.ts'
import { handleSession } from './sveltekit.ts'

let auth: TestAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
  sessions = openCookieSessions(auth.auth, { origin: 'https://app.example.test' }, auth.clock)
})
afterAll(() => auth.close())

const hello = async (session: RequestSession | null) =>
  new Response(session ? `hello ${session.viewer?.userId}` : 'the service')

async function signedIn() {
  const { user, ...tokens } = await auth.given.session()
  const browser = openCookieBrowser()
  const session = await sessions.open(browser.request('GET', '/'))
  await session.keep(tokens)
  const response = new Response()
  session.addHeaders(response.headers)
  browser.take(response)
  return { browser, user }
}

async function ask(browser: CookieBrowser, answer: typeof hello = hello) {
  const response = await answerWithSession(sessions, browser.request('GET', '/'), answer)
  browser.take(response)
  return response
}

describe('a page that is rendered with the session of its request', () => {
  it('knows the user, and its response renews the session and is not cached', async () => {
    const { browser, user } = await signedIn()
    expect((await ask(browser)).headers.getSetCookie()).toEqual([])
    auth.clock.advance(3_700)

    const response = await ask(browser)

    expect(await response.text()).toBe(`hello ${user.id}`)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect((await ask(browser)).headers.getSetCookie()).toEqual([])
  })

  it('sends cookies with a redirect as well', async () => {
    const { browser } = await signedIn()
    const target = 'https://app.example.test/next'

    const response = await ask(browser, async (session) => {
      await session?.signOut()
      return Response.redirect(target)
    })

    expect([response.status, response.headers.get('location')]).toEqual([302, target])
    expect(browser.cookies.size).toBe(0)
  })

  it('is not rendered for a form of another origin', async () => {
    const { browser } = await signedIn()
    const headers = { origin: 'https://evil.example' }
    const request = browser.request('POST', '/', { headers })

    const response = await answerWithSession(sessions, request, () => {
      throw new Error('called')
    })

    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error_code: 'origin_not_allowed' })
  })

  it('is not stored by a shared cache, unless it sets its own cache headers', async () => {
    const { browser } = await signedIn()
    const options = { headers: { 'cache-control': 'public, max-age=60' } }

    const answers = [
      await ask(browser),
      await ask(browser, async () => new Response('', options)),
      await ask(openCookieBrowser()),
    ]

    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual([
      'private',
      'public, max-age=60',
      null,
    ])
  })

  it.each(['/auth', '/auth/logout', '/%61uth/logout', '/Auth/logout'])(
    'leaves %s to the service',
    async (path) => {
      const { browser } = await signedIn()
      auth.clock.advance(3_700)

      const response = await answerWithSession(sessions, browser.request('POST', path), hello)

      expect([await response.text(), response.headers.getSetCookie()]).toEqual(['the service', []])
    },
  )
})

it('stores the address of the client that SvelteKit reports', async () => {
  const { browser, user } = await signedIn()
  auth.clock.advance(3_700)
  const locals: { session?: RequestSession } = {}
  const event = {
    request: browser.request('GET', '/'),
    locals,
    getClientAddress: () => '203.0.113.7',
  }

  await handleSession(sessions)({ event, resolve: () => new Response() })

  expect(locals.session?.viewer?.userId).toBe(user.id)
  expect(await auth.auth.admin.listSessions(user.id)).toMatchObject([{ ip: '203.0.113.7' }])
})

it('does not create the service while Astro prerenders a page', async () => {
  const unmade = (): CookieSessions => {
    throw new Error('made')
  }
  const context = {
    request: new Request('https://app.example.test/'),
    isPrerendered: true,
    locals: {},
    get clientAddress(): string {
      throw new Error('called')
    },
  }

  const response = await sessionMiddleware(unmade)(context, async () => new Response('a page'))

  expect(await response.text()).toBe('a page')
  expect(context.locals).toEqual({})
})
