import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whileWritesBreak } from '../../../test/support/broken-writes.ts'
import { type CookieBrowser, openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'

const origin = 'https://app.example.test'
const options = { to: '/account', failed: '/sign-in' }

let auth: MessagingAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startMessagingAuth()
  sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
})
afterAll(() => auth.close())

/** Requests a mail that recovers a new account, and returns the URL that its link leads to. */
async function recovery(next?: string): Promise<{ browser: CookieBrowser; path: string }> {
  const { email } = await auth.given.user()
  const browser = openCookieBrowser()
  const session = await sessions.open(browser.request('POST', '/'))
  const target = new URL('/callback', origin)
  if (next !== undefined) target.searchParams.set('next', next)
  const redirectTo = target.href
  await session.api.resetPasswordForEmail({ email: email ?? '', redirectTo })
  const headers = new Headers()
  session.addHeaders(headers)
  browser.take({ headers })
  const { url } = await auth.follow(await auth.messageTo(email ?? ''))
  if (!url) throw new Error('the link leads nowhere')
  return { browser, path: url.pathname + url.search }
}

const finish = (browser: CookieBrowser, path: string) =>
  sessions.finishFlow(browser.request('GET', path), options)

const locationOf = ({ status, headers }: Response) => [status, headers.get('location')]

describe('sessions.finishFlow (N06)', () => {
  it('exchanges the code once, stores the session and redirects', async () => {
    const { browser, path } = await recovery()
    const answer = await finish(browser, path)
    browser.take(answer)
    const session = await sessions.open(browser.request('GET', '/'))
    const again = await finish(browser, path)

    expect(locationOf(answer)).toEqual([303, '/account'])
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect(session.viewer).not.toBeNull()
    expect(locationOf(again)).toEqual([303, '/sign-in?error_code=flow_state_not_found'])
  })

  it.each(['/new-password', '/a?b=c#d', '/'])(
    'redirects to the path %s of the link',
    async (next) => {
      const { browser, path } = await recovery(next)

      expect(locationOf(await finish(browser, path))).toEqual([303, next])
    },
  )

  it.each([
    ['/\u4e2d\u6587', '/%E4%B8%AD%E6%96%87'],
    ['/caf\u00e9?x=\ud83d\ude00#\u00e9', '/caf%C3%A9?x=%F0%9F%98%80#%C3%A9'],
    ['/a b', '/a%20b'],
    ['/%C3%A9\u00e9', '/%C3%A9%C3%A9'],
  ])('redirects to the path %s in encoded form', async (next, location) => {
    const { browser, path } = await recovery(next)
    const answer = await finish(browser, path)

    expect(locationOf(answer)).toEqual([303, location])
    expect(answer.headers.getSetCookie()).not.toEqual([])
  })

  it.each([
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/.//evil.test',
    'javascript:alert(1)',
    'account',
    '',
  ])('does not redirect to %j', async (next) => {
    const { browser, path } = await recovery()
    const { searchParams } = new URL(path, origin)
    searchParams.set('next', next)

    expect(locationOf(await finish(browser, `/callback?${searchParams}`))).toEqual([
      303,
      '/account',
    ])
  })

  it('rejects the code of another browser', async () => {
    const { path } = await recovery()
    const answer = await finish(openCookieBrowser(), path)

    expect(locationOf(answer)).toEqual([303, '/sign-in?error_code=flow_state_not_found'])
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it.each([
    ['error_code=otp_expired&error_description=Call+us', 'otp_expired'],
    ['error=access_denied', 'access_denied'],
    ['error_code=%3Cscript%3E', 'flow_state_not_found'],
    ['', 'flow_state_not_found'],
  ])('passes on the code of an error, and no text: %s', async (query, code) => {
    const answer = await finish(openCookieBrowser(), `/callback?${query}`)

    expect(locationOf(answer)).toEqual([303, `/sign-in?error_code=${code}`])
  })

  it('redirects after a fault, too, which is logged', async () => {
    const { browser, path } = await recovery()
    const logged = auth.log.length
    const answer = await whileWritesBreak(auth, () => finish(browser, path))

    expect(locationOf(answer)).toEqual([303, '/sign-in?error_code=unexpected_failure'])
    expect(auth.log.slice(logged).map(({ level }) => level)).toContain('error')
  })

  it.each(['error=access_denied', 'code=unknown'])(
    'keeps the session that it renewed, also after a failure: %s',
    async (query) => {
      const { email } = await auth.given.user()
      const browser = openCookieBrowser()
      const signIn = await sessions.open(browser.request('POST', '/sign-in'))
      const credentials = { email: email ?? '', password: testPassword }
      await signIn.keep((await auth.auth.api.signInWithPassword(credentials)).session)
      const headers = new Headers()
      signIn.addHeaders(headers)
      browser.take({ headers })
      auth.clock.advance(3_600)

      const answer = await finish(browser, `/callback?${query}`)
      browser.take(answer)
      // Another use of the former refresh token would end the session.
      auth.clock.advance(60)
      const session = await sessions.open(browser.request('GET', '/'))

      expect(answer.status).toBe(303)
      expect(answer.headers.getSetCookie()).not.toEqual([])
      expect(session.viewer).not.toBeNull()
    },
  )
})
