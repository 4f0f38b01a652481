import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  appOrigin,
  type CookieBrowser,
  foreignSenders,
  openCookieBrowser,
} from '../../../test/support/cookie-browser.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import { type NextCookies, openSession, readSession, renewSession, toNext } from './next.ts'

// `npm run test:hosts -- next` tests it in Next itself.

let auth: TestAuth
let service: CookieSessions

const sessions = () => service

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
  service = openCookieSessions(auth.auth, { origin: appOrigin }, auth.clock)
})
afterAll(() => auth.close())

const sessionCookie = '__Host-latchkey-session'
const expire = () => auth.clock.advance(3_600)
const signIn = async (email: string) =>
  (await auth.auth.api.signInWithPassword({ email, password: testPassword })).session

/** Returns the state of a request in Next: an action changes its cookies, but not its headers. */
function openState(request: Request) {
  const parsed = (request.headers.get('cookie') ?? '').split('; ').filter(Boolean)
  const values = new Map(parsed.map((pair) => pair.split('=') as [string, string]))
  const set: string[] = []
  const jar: NextCookies = {
    getAll: () => [...values].map(([name, value]) => ({ name, value })),
    set: (name, value) => {
      values.set(name, value)
      set.push(name)
    },
  }
  return { set, jar, cookies: async () => jar, headers: async () => request.headers }
}

const readOnly = (request: Request) => {
  const { jar, ...state } = openState(request)
  const fail = () => {
    throw new Error('Cookies can only be modified in a Server Action or Route Handler')
  }
  return { ...state, cookies: async () => ({ ...jar, set: fail }) }
}

/** A browser whose user has signed in by an action. */
async function signedIn() {
  const user = await auth.given.user()
  const email = user.email ?? ''
  const browser = openCookieBrowser()
  const state = openState(browser.request('POST', '/sign-in'))
  const session = await openSession(sessions, state)
  await session.keep(await signIn(email))
  for (const { name, value } of state.jar.getAll()) browser.cookies.set(name, value)
  return { user, email, browser, state }
}

const refreshes = async (actorId: string) =>
  (await auth.auth.admin.listAudit({ actorId, action: 'token_refreshed' })).entries.length

describe('the handlers of a route', () => {
  it('respond to each method, and create the service at the first request', async () => {
    let made = 0
    const handlers = toNext(() => {
      made += 1
      return service
    })
    expect(made).toBe(0)
    const url = `${appOrigin}/auth/health`

    const answers = await Promise.all(
      Object.entries(handlers).map(async ([method, handle]) => {
        const headers = { origin: appOrigin, 'access-control-request-method': 'GET' }
        const { status } = await handle(new Request(url, { method, headers }))
        return [method, status]
      }),
    )

    expect(Object.fromEntries(answers)).toEqual({
      GET: 200,
      HEAD: 200,
      OPTIONS: 204,
      POST: 405,
      PUT: 405,
      PATCH: 405,
      DELETE: 405,
    })
  })
})

describe('the handlers of a route below a base path of Next', () => {
  it('receive the whole path, with the body', async () => {
    const seen: [string, string][] = []
    const fetch = async (request: Request) => {
      seen.push([new URL(request.url).pathname, await request.text()])
      return new Response()
    }
    const send = (basePath: string, path: string) =>
      toNext(() => ({ fetch, basePath })).POST(
        new Request(appOrigin + path, { method: 'POST', body: 'told' }),
      )

    await send('/shop/auth', '/auth/token')
    await send('/a/shop/auth', '/auth/token')
    await send('/shop/auth', '/shop/auth/token')
    await send('/auth', '/authority')
    await send('', '/token')

    expect(seen).toEqual([
      ['/shop/auth/token', 'told'],
      ['/a/shop/auth/token', 'told'],
      ['/shop/auth/token', 'told'],
      ['/authority', 'told'],
      ['/token', 'told'],
    ])
  })
})

describe('the session in a component', () => {
  it('is that of the cookies', async () => {
    const { browser, user } = await signedIn()

    const session = await readSession(sessions, readOnly(browser.request('GET', '/')))

    expect(session.viewer?.userId).toBe(user.id)
    expect(session.forPage()?.user['id']).toBe(user.id)
    expect((await session.requireUser()).user.id).toBe(user.id)
  })

  it('is not renewed, since it could not be stored', async () => {
    const { browser, user } = await signedIn()
    expire()

    const session = await readSession(sessions, readOnly(browser.request('GET', '/')))

    expect(session.viewer).toBeNull()
    expect(await refreshes(user.id)).toBe(0)
  })

  it('is rejected after its end, without changed cookies', async () => {
    const { browser, user } = await signedIn()
    await auth.auth.admin.signOut(user.id)

    const session = await readSession(sessions, readOnly(browser.request('GET', '/')))

    await expect(session.requireUser()).rejects.toMatchObject({ code: 'session_not_found' })
  })

  it('is empty with an invalid bearer token, whatever the cookies', async () => {
    const { browser } = await signedIn()
    const headers = { authorization: 'Bearer junk' }

    const session = await readSession(sessions, readOnly(browser.request('GET', '/', { headers })))

    expect([session.viewer, session.forPage()]).toEqual([null, null])
    await expect(session.requireUser()).rejects.toMatchObject({ code: 'no_authorization' })
  })

  it('reflects an action of the same request', async () => {
    const { state, user, browser } = await signedIn()

    expect((await readSession(sessions, state)).viewer?.userId).toBe(user.id)
    const later = openState(browser.request('POST', '/'))
    await (await openSession(sessions, later)).signOut()

    expect((await readSession(sessions, later)).viewer).toBeNull()
  })

  it('is empty if a cookie is repeated', async () => {
    const { browser } = await signedIn()
    const { cookies } = browser
    const pairs = [...cookies, ...cookies].map(([name, value]) => `${name}=${value}`)
    const headers = { cookie: pairs.join('; ') }

    const session = await readSession(sessions, readOnly(browser.request('GET', '/', { headers })))

    expect(session.viewer).toBeNull()
  })

  it('keeps all other cookies of the browser', async () => {
    const { browser, user } = await signedIn()
    browser.cookies.set('theme', '%zz')
    browser.cookies.set('flag', '')

    const session = await readSession(sessions, readOnly(browser.request('GET', '/')))

    expect(session.viewer?.userId).toBe(user.id)
  })
})

describe('the session in an action', () => {
  it('is renewed, and set by Next', async () => {
    const { browser, user } = await signedIn()
    expire()
    const state = openState(browser.request('POST', '/'))

    const session = await openSession(sessions, state)

    expect(session.viewer?.userId).toBe(user.id)
    expect(state.set).toContain(sessionCookie)
  })

  it('is not renewed when a component reads it, which cannot set cookies', async () => {
    const { browser } = await signedIn()
    auth.clock.advance(3_540)

    const opening = openSession(sessions, readOnly(browser.request('POST', '/')))

    await expect(opening).rejects.toThrow('Cookies can only be modified')
  })

  it.each(foreignSenders)('is neither used nor set for %s', async (_, headers) => {
    const { browser, email } = await signedIn()
    const used = openState(browser.request('POST', '/', { headers }))
    const set = openState(openCookieBrowser().request('POST', '/', { headers }))

    await expect(openSession(sessions, used)).rejects.toMatchObject({ code: 'origin_not_allowed' })
    const session = await openSession(sessions, set)
    const tokens = await signIn(email)

    await expect(session.keep(tokens)).rejects.toMatchObject({ code: 'origin_not_allowed' })
    expect([...used.set, ...set.set]).toEqual([])
  })
})

describe('the session in the proxy', () => {
  /** Passes the request on as a page receives it after the proxy. */
  const pass = (request: Request, seen: Headers[] = []) =>
    renewSession(sessions, request, (_, headers) => {
      seen.push(headers)
      return new Response('page', { headers: { 'x-page': '1', 'cache-control': 's-maxage=60' } })
    })
  const pageAfter = async (browser: CookieBrowser, headers: Headers | undefined) => {
    const request = browser.request('GET', '/', { headers: Object.fromEntries(headers ?? []) })
    return (await readSession(sessions, readOnly(request))).viewer?.userId
  }

  it('is renewed for the page and for the browser', async () => {
    const { browser, user } = await signedIn()
    const before = browser.cookies.get(sessionCookie)
    expire()
    const seen: Headers[] = []

    const answer = await pass(browser.request('GET', '/'), seen)

    expect(await pageAfter(browser, seen[0])).toBe(user.id)
    expect(browser.take(answer)).toHaveLength(2)
    expect(browser.cookies.get(sessionCookie)).not.toBe(before)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect([answer.headers.get('x-page'), await answer.text()]).toEqual(['1', 'page'])
  })

  it('is renewed once by 20 concurrent requests', async () => {
    const { browser, user } = await signedIn()
    expire()
    const seen: Headers[] = []

    await Promise.all(
      Array.from({ length: 20 }, (_, at) => pass(browser.request('GET', `/${at}`), seen)),
    )

    expect(await refreshes(user.id)).toBe(1)
    const pages = await Promise.all(seen.map((headers) => pageAfter(browser, headers)))
    expect(pages).toEqual(Array.from({ length: 20 }, () => user.id))
  })

  it('does not change responses while it is valid, nor those without a session', async () => {
    const { browser } = await signedIn()

    const answers = await Promise.all(
      [browser, openCookieBrowser()].map((one) => pass(one.request('GET', '/'))),
    )

    for (const { headers } of answers)
      expect([headers.getSetCookie(), headers.get('cache-control')]).toEqual([[], 's-maxage=60'])
  })

  it('is sent with a redirect', async () => {
    const { browser } = await signedIn()
    expire()

    const answer = await renewSession(sessions, browser.request('GET', '/'), () =>
      Response.redirect(`${appOrigin}/elsewhere`),
    )

    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${appOrigin}/elsewhere`])
    expect(browser.take(answer)).toHaveLength(2)
  })

  it('is removed for the page and the browser after its end', async () => {
    const { browser, user } = await signedIn()
    await auth.auth.admin.signOut(user.id)
    expire()
    const seen: Headers[] = []

    browser.take(await pass(browser.request('GET', '/'), seen))

    expect(await pageAfter(browser, seen[0])).toBeUndefined()
    expect(browser.cookies.size).toBe(0)
  })

  it.each(foreignSenders)('is not used for %s', async (_, headers) => {
    const { browser } = await signedIn()
    const seen: Headers[] = []

    const answer = await pass(browser.request('POST', '/', { headers }), seen)

    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ error_code: 'origin_not_allowed' })
    expect(seen).toEqual([])
  })

  // A no-break space, as the one byte that Chromium stores and sends for a subdomain.
  it.each(['\u00a0', '\u00ad'])(
    'is not read from a cookie that a subdomain has named %j and the prefix',
    async (space) => {
      const { browser } = await signedIn()
      const cookie = `${space}${sessionCookie}=${browser.cookies.get(sessionCookie)}`
      const request = openCookieBrowser().request('GET', '/', { headers: { cookie } })
      const seen: Headers[] = []

      await pass(request, seen)

      expect(seen[0]?.get('cookie')).toBe(cookie)
      expect(await pageAfter(openCookieBrowser(), seen[0])).toBeUndefined()
      expect((await readSession(sessions, readOnly(request))).viewer).toBeNull()
    },
  )

  it('is not that of the cookies if there is a bearer token', async () => {
    const { browser } = await signedIn()
    const other = await auth.given.user()
    const { accessToken } = await signIn(other.email ?? '')
    const viewers: (string | undefined)[] = []
    const ask = (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return renewSession(sessions, browser.request('GET', '/', { headers }), (session, given) => {
        viewers.push(session?.viewer?.userId)
        return new Response(given.get('cookie'))
      })
    }

    const answers = [await ask(accessToken), await ask('junk')]

    expect(viewers).toEqual([other.id, undefined])
    for (const answer of answers) {
      expect(answer.headers.getSetCookie()).toEqual([])
      expect(await answer.text()).toContain(sessionCookie)
    }
  })

  it('passes a fault to the caller', async () => {
    const broken = () => {
      throw new Error('settings are missing')
    }

    await expect(
      renewSession(broken, new Request(appOrigin), () => new Response()),
    ).rejects.toThrow('settings are missing')
  })
})
