import { serialize } from 'cookie-es'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  appOrigin,
  type CookieBrowser,
  openCookieBrowser,
} from '../../../test/support/cookie-browser.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { CookieJar } from '../cookie-sessions/cookie-jar.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import { sessionMiddleware as astroMiddleware } from './astro.ts'
import { openSession, renewSession } from './next.ts'
import { sessionMiddleware as routerMiddleware } from './react-router.ts'
import { handleSession } from './sveltekit.ts'

let auth: TestAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
  sessions = openCookieSessions(auth.auth, { origin: appOrigin }, auth.clock)
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => auth.close())

const sessionCookie = '__Host-latchkey-session'
const cookieMode = { 'x-use-cookie': '1' }

/** The application's work between opening the session and its response. */
type Render = () => Promise<Response>

/** Responds to a request as a host does. */
type Host = (request: Request, render: Render) => Promise<Response>

const ip = '203.0.113.7'

/** A host that sets cookies at once, such as Nuxt and the actions of Next. */
async function withJar(
  open: (jar: CookieJar & { getAll(): never[] }) => Promise<unknown>,
  render: Render,
): Promise<Response> {
  const set = new Map<string, string>()
  await open({
    getAll: () => [],
    set: (name, value, attributes) => void set.set(name, serialize(name, value, attributes)),
  })
  const response = await render()
  for (const one of set.values()) response.headers.append('set-cookie', one)
  return response
}

const hosts: Readonly<Record<string, Host>> = {
  'Next, in the proxy': (request, render) => renewSession(() => sessions, request, render),
  'Next, in an action': (request, render) =>
    withJar(
      (jar) =>
        openSession(() => sessions, {
          cookies: async () => ({
            ...jar,
            getAll: () =>
              (request.headers.get('cookie') ?? '').split('; ').map((pair) => {
                const [name = '', value = ''] = pair.split('=')
                return { name, value }
              }),
          }),
          headers: async () => {
            const headers = new Headers(request.headers)
            headers.set('origin', appOrigin)
            return headers
          },
        }),
      render,
    ),
  Nuxt: (request, render) => withJar((jar) => sessions.open(request, { jar, ip }), render),
  SvelteKit: (request, render) =>
    handleSession(sessions)({
      event: { request, locals: {}, getClientAddress: () => ip },
      resolve: render,
    }),
  Astro: (request, render) =>
    astroMiddleware(sessions)(
      { request, locals: {}, clientAddress: ip, isPrerendered: false },
      render,
    ),
  'React Router': (request, render) =>
    routerMiddleware(sessions, {})({ request, context: { set: () => {} } }, render),
  'Express and other hosts without a middleware': async (request, render) => {
    const session = await sessions.open(request)
    const response = await render()
    session.addHeaders(response.headers)
    return response
  },
}

/** A browser whose session expires soon, so that the next request renews it. */
async function signedIn() {
  const tokens = await auth.given.session()
  const browser = openCookieBrowser()
  const session = await sessions.open(browser.request('GET', '/'))
  await session.keep(tokens)
  const response = new Response()
  session.addHeaders(response.headers)
  browser.take(response)
  auth.clock.advance(3_540)
  const headers = { ...cookieMode, authorization: `Bearer ${tokens.accessToken}` }
  const request = browser.request('POST', '/auth/logout?scope=local', { headers })
  const signOut = async (): Promise<Response> => {
    const answer = await sessions.fetch(request.clone())
    expect(answer.status).toBe(204)
    browser.take(answer)
    return answer
  }
  return { browser, signOut }
}

/** Signs out after the renewal is stored, and before its caller is notified. */
function signOutWithinRenewal(signOut: () => Promise<Response>): void {
  const { api } = auth.auth
  const refresh = api.refreshSession
  vi.spyOn(api, 'refreshSession').mockImplementation(async (...given) => {
    const renewed = await refresh(...given)
    await signOut()
    return renewed
  })
}

const isSet = (response: Response): boolean =>
  openCookieBrowser()
    .take(response)
    .some((text) => text.startsWith(`${sessionCookie}=`) && !text.includes('Max-Age=0'))

const page: Render = async () => new Response('page')

const get = (browser: CookieBrowser): Request => browser.request('GET', '/page')

describe.each(Object.entries(hosts))('the cookies of a session in %s', (_, answer) => {
  it('are set when it is renewed', async () => {
    const { browser } = await signedIn()

    expect(isSet(await answer(get(browser), page))).toBe(true)
  })

  it('S27: are not set by a renewal that is in flight during a sign-out', async () => {
    const { browser, signOut } = await signedIn()
    signOutWithinRenewal(signOut)

    const response = await answer(get(browser), page)
    browser.take(response)

    expect([isSet(response), [...browser.cookies.keys()]]).toEqual([false, []])
  })

  it('S27: are not set if the sign-out occurs while the page is rendered', async () => {
    const { browser, signOut } = await signedIn()

    const response = await answer(get(browser), async () => {
      await signOut()
      return new Response('page')
    })
    browser.take(response)

    expect([isSet(response), [...browser.cookies.keys()]]).toEqual([false, []])
  })

  it('S27: are not set by a renewal after a sign-out', async () => {
    const { browser, signOut } = await signedIn()
    const late = get(browser)
    await signOut()

    const response = await answer(late, page)
    browser.take(response)

    expect([isSet(response), [...browser.cookies.keys()]]).toEqual([false, []])
  })

  it('S27: are not set beside the response of the mounted service to a sign-out', async () => {
    const { browser } = await signedIn()
    const request = browser.request('POST', '/auth/logout?scope=local', { headers: cookieMode })
    let answered: Response | undefined

    // A proxy sets its cookies before the service has the request.
    const response = await answer(request, async () => {
      answered = await sessions.fetch(request.clone())
      return new Response('page')
    })
    browser.take(answered as Response)
    browser.take(response)

    expect([answered?.status, isSet(response)]).toEqual([204, false])
    expect([...browser.cookies.keys()]).toEqual([])
  })
})

describe('the cookies of a session that a page renews by the wire', () => {
  it.each([
    ['POST', '/auth/token?grant_type=refresh_token'],
    ['GET', '/auth/session'],
  ])(
    'S27: are not set by a renewal that is in flight during a sign-out: %s %s',
    async (method, path) => {
      const { browser, signOut } = await signedIn()
      const { fetch } = auth.auth
      let isSignedOut = false
      const body = method === 'POST' ? { refresh_token: 'any' } : undefined
      const request = browser.request(method, path, { headers: cookieMode, body })
      vi.spyOn(auth.auth, 'fetch').mockImplementation(async (...given) => {
        const response = await fetch(...given)
        if (!isSignedOut) {
          isSignedOut = true
          await signOut()
        }
        return response
      })

      const response = await sessions.fetch(request)
      browser.take(response)

      expect([isSet(response), [...browser.cookies.keys()]]).toEqual([false, []])
    },
  )
})
