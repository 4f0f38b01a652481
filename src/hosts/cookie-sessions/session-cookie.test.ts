import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { openCookies } from './cookie-jar.ts'
import { resolveCookieTerms } from './cookie-terms.ts'

const terms = resolveCookieTerms({ origin: 'https://app.example.test' })
const host = { terms, renewals: { hasEnded: () => false, removeAtEnd: () => {} } }
const session = (accessToken = 'header.payload.signature') => ({
  sessionId: randomUUID(),
  accessToken,
  refreshToken: 'AAECAwQFBgc-_w',
})
/** Returns an access token of this length. */
const tokenOf = (length: number) => `a.${'b'.repeat(length - 4)}.c`

/** Returns the browser's cookies after storing each session, and the last `Set-Cookie` headers. */
function stored(...sessions: ReturnType<typeof session>[]) {
  const browser = openCookieBrowser()
  let headers: string[] = []
  for (const one of sessions) {
    const cookies = openCookies(host, browser.request('GET', '/'))
    cookies.storeSession(one)
    headers = browser.take({
      headers: new Headers(cookies.setCookieHeaders().map((text) => ['set-cookie', text])),
    })
  }
  return { browser, headers, read: () => openCookies(host, browser.request('GET', '/')).session }
}

describe('the cookie of a session', () => {
  it('is for the host only, not readable by scripts, and not sent with posts of other sites', () => {
    const { headers } = stored(session())

    expect(headers).toEqual([
      expect.stringMatching(
        /^__Host-latchkey-session=\S+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-latchkey-state=[0-9a-f]{16}; Max-Age=34560000; Path=\/; Secure; SameSite=Lax$/,
      ),
    ])
  })

  it.each([30, 3_739, 3_740, 3_741, 7_400, 7_600, 15_360])(
    'is read with an access token of %i characters',
    (length) => {
      const long = session(tokenOf(length))

      expect(stored(long).read()).toEqual(long)
    },
  )

  it('leaves no chunk behind when it gets shorter', () => {
    const { browser, read } = stored(session(tokenOf(9_000)), session())

    expect([...browser.cookies.keys()]).toEqual([
      '__Host-latchkey-session',
      '__Host-latchkey-state',
    ])
    expect(read()?.accessToken).toBe('header.payload.signature')
  })

  it('is read without a chunk that an older session left', () => {
    const { browser, read } = stored(session(tokenOf(5_000)))
    browser.cookies.set('__Host-latchkey-session.2', 'old')

    expect(read()?.accessToken).toBe(tokenOf(5_000))
  })

  it('can be renewed if a chunk is missing or repeated', () => {
    const long = session(tokenOf(5_000))
    const { browser, read } = stored(long)
    const twice = `${browser.request('GET', '/').headers.get('cookie')}; __Host-latchkey-session.1=x`
    browser.cookies.delete('__Host-latchkey-session.1')

    const renewable = { ...long, accessToken: '' }
    expect(read()).toEqual(renewable)
    expect(openCookies(host, { headers: { cookie: twice } }).session).toEqual(renewable)
  })

  it.each([
    [
      'comes twice',
      (value: string) => `__Host-latchkey-session=${value}; __Host-latchkey-session=x`,
    ],
    [
      'comes twice the same',
      (value: string) => `__Host-latchkey-session=${value}; __Host-latchkey-session=${value}`,
    ],
    ['has no prefix', (value: string) => `latchkey-session=${value}`],
    ['has another case', (value: string) => `__host-latchkey-session=${value}`],
    ['belongs to another application', (value: string) => `__Host-other-session=${value}`],
    ['counts no chunks', (value: string) => `__Host-latchkey-session=0${value.slice(1)}`],
    ['is empty', () => '__Host-latchkey-session='],
  ])('is not accepted if it %s', (_, cookieOf) => {
    const value = stored(session()).browser.cookies.get('__Host-latchkey-session') ?? ''

    expect(
      openCookies(host, { headers: { cookie: `__Host-latchkey-session=${value}` } }).session,
    ).not.toBeNull()
    expect(openCookies(host, { headers: { cookie: cookieOf(value) } }).session).toBeNull()
  })

  it('is read without decoding cookies of other names', () => {
    const one = session()
    const own = stored(one).browser.cookies.get('__Host-latchkey-session') ?? ''
    const others = 'n=%FF; __Host-n=%FF; '.repeat(700)
    const decode = vi.spyOn(globalThis, 'decodeURIComponent')
    try {
      const cookies = openCookies(host, {
        headers: { cookie: `${others}__Host-latchkey-session=${own}` },
      })

      expect(cookies.session).toEqual(one)
      expect(decode.mock.calls.filter(([text]) => text.includes('%FF'))).toEqual([])
      expect(cookies.cookieHeader()).toContain('n=%FF')
    } finally {
      decode.mockRestore()
    }
  })

  it('is passed on with its new value, and other cookies unchanged', () => {
    const { browser } = stored(session(tokenOf(5_000)))
    browser.cookies.set('theme', 'dark%20blue')
    const cookies = openCookies(host, browser.request('GET', '/'))
    const next = session()

    cookies.storeSession(next)

    const handedOn = { headers: { cookie: cookies.cookieHeader() } }
    expect(openCookies(host, handedOn).session).toEqual(next)
    expect(cookies.cookieHeader()).toContain('theme=dark%20blue')
    expect(cookies.cookieHeader()).not.toContain('session.1')
  })

  it('has no prefix in development without encryption', () => {
    const plain = resolveCookieTerms({ origin: 'http://localhost:3000', development: true })
    const local = { ...host, terms: plain }
    const cookies = openCookies(local, { headers: {} })
    const one = session()

    cookies.storeSession(one)

    const [first = ''] = cookies.setCookieHeaders()
    expect(first).toMatch(
      /^latchkey-session=\S+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const [pair = ''] = first.split(';')
    const sent = (cookie: string) => openCookies(local, { headers: { cookie } }).session
    expect(sent(pair)).toEqual(one)
    // Another port of this machine has set one as well.
    expect(sent(`${pair}; latchkey-session=x`)).toBeNull()
  })
})
