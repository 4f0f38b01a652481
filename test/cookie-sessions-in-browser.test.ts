import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { type CookieApp, startCookieApp } from './support/cookie-app.ts'
import { testPassword } from './support/test-auth.ts'

let app: CookieApp

beforeAll(async () => {
  app = await startCookieApp()
})
afterAll(() => app?.close())

// The name that scripts of the page use. Types of the page differ from the test's own.
declare const client: import('@supabase/auth-js').GoTrueClient

/** The member of the window that a page stores its result in. */
type WithMessage = typeof globalThis & { received?: Promise<string> }
declare const document: { cookie: string }
declare const localStorage: object
declare const location: { href: string; assign(url: string): void }

describeInBrowser('a session in cookies, in a browser', ({ open }) => {
  const window = (): Promise<Page> => open({ ignoreHTTPSErrors: true })
  const shown = (page: Page) => page.locator('#page').textContent()
  const rendered = (page: Page) => page.locator('#server').textContent()
  const settled = (page: Page, text: string) =>
    page.locator('#page').getByText(text, { exact: true }).waitFor()

  const signIn = (page: Page, email: string) =>
    page.evaluate(
      async ([email, password]) =>
        (await client.signInWithPassword({ email, password })).error?.message ?? null,
      [email, testPassword] as const,
    )

  const verifiers = async (page: Page) =>
    (await page.context().cookies())
      .map(({ name }) => name)
      .filter((name) => name.endsWith('-code-verifier'))

  /** Opens a window whose user has signed in on the page. */
  async function signedIn() {
    const { email: address } = await app.auth.given.user()
    const email = address ?? ''
    const page = await window()
    await page.goto(app.url)
    await settled(page, 'nobody')
    expect(await signIn(page, email)).toBeNull()
    await settled(page, email)
    return { page, email }
  }

  it("is available to the server's first rendering, and not to scripts", {
    timeout: 90_000,
  }, async () => {
    const { page, email } = await signedIn()

    await page.goto(`${app.url}/?given`)

    expect(await rendered(page)).toBe(email)
    await settled(page, email)
    const inReach = await page.evaluate(async () => ({
      cookies: document.cookie,
      stored: JSON.stringify(localStorage),
      session: (await client.getSession()).data.session?.refresh_token,
    }))
    expect(inReach.cookies).toMatch(/^__Host-latchkey-state=[0-9a-f]{16}$/)
    expect(inReach.stored).toBe('{}')
    expect(inReach.session).toMatch(/^cookie-/)
    const kept = await page.context().cookies()
    expect(kept.find(({ name }) => name === '__Host-latchkey-session')).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/',
      domain: 'app.localhost',
    })
  })

  it('fits into cookies whatever its size, and leaves none behind', {
    timeout: 90_000,
  }, async () => {
    const { page, email } = await signedIn()
    const chunks = async () =>
      (await page.context().cookies())
        .map(({ name }) => name)
        .filter((name) => name.includes('-session'))
        .toSorted()
    const note = (length: number) =>
      page.evaluate(async (note) => {
        const { error } = await client.updateUser({ data: { note } })
        return error ?? (await client.refreshSession()).error
      }, 'x'.repeat(length))

    expect(await note(4_000)).toBeNull()
    expect(await chunks()).toEqual(['', '.1'].map((suffix) => `__Host-latchkey-session${suffix}`))
    await page.goto(app.url)
    expect(await rendered(page)).toBe(email)
    await settled(page, email)

    expect(await note(1)).toBeNull()
    expect(await chunks()).toEqual(['__Host-latchkey-session'])
    await page.goto(app.url)
    expect(await rendered(page)).toBe(email)
  })

  it('is renewed once by 20 concurrent requests, and by the client', {
    timeout: 90_000,
  }, async () => {
    const { page, email } = await signedIn()
    const before = await app.renewals()
    app.auth.clock.advance(3_600)

    const emails = await page.evaluate(() =>
      Promise.all(
        Array.from(
          { length: 20 },
          async (_, at) => ((await (await fetch(`/me?${at}`)).json()) as { email: string }).email,
        ),
      ),
    )
    expect(new Set(emails)).toEqual(new Set([email]))
    expect((await app.renewals()) - before).toBe(1)

    const renewed = await page.evaluate(async () => {
      const { data, error } = await client.refreshSession()
      return [error?.message ?? null, data.user?.email]
    })
    expect(renewed).toEqual([null, email])
    await page.goto(app.url)
    expect(await rendered(page)).toBe(email)
    await settled(page, email)
  })

  it('is shared by all tabs at each sign-in and sign-out', { timeout: 90_000 }, async () => {
    const { page, email } = await signedIn()
    const other = await app.auth.given.user()
    const tab = await page.context().newPage()
    await tab.goto(app.url)
    await settled(tab, email)
    const inTab = () =>
      tab.evaluate(async () => (await client.getUser()).data.user?.email ?? 'nobody')

    expect(await signIn(page, other.email ?? '')).toBeNull()
    expect(await inTab()).toBe(other.email)
    await page.evaluate(() => client.signOut())
    expect(await inTab()).toBe('nobody')
    await tab.reload()
    expect(await rendered(tab)).toBe('nobody')
    await settled(tab, 'nobody')
  })

  it('has ended on the server once a tab is notified', { timeout: 90_000 }, async () => {
    const { page } = await signedIn()
    const tab = await page.context().newPage()
    await tab.goto(app.url)
    for (const one of [page, tab])
      await one.evaluate(() => {
        const page = globalThis as WithMessage
        page.received = new Promise((resolve) => {
          client.onAuthStateChange((event) => {
            if (event !== 'SIGNED_OUT') return
            resolve(fetch('/me').then(async (answer) => JSON.parse(await answer.text()).email))
          })
        })
      })
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))

    const { error } = await page.evaluate(() => client.signOut({ scope: 'local' }))

    expect(error).toBeNull()
    const received = [page, tab].map((one) =>
      one.evaluate(() => (globalThis as WithMessage).received),
    )
    expect(await Promise.all(received)).toEqual(['nobody', 'nobody'])
    expect(sent.filter((path) => path === '/auth/logout')).toHaveLength(1)
  })

  /** Opens a window whose user has requested a link by mail, and returns the target of the link. */
  async function mailed(path: string) {
    const { email: address } = await app.auth.given.user()
    const email = address ?? ''
    const page = await window()
    await page.goto(app.url)
    await settled(page, 'nobody')
    const requested = await page.evaluate(
      async ([email, emailRedirectTo]) =>
        (await client.signInWithOtp({ email, options: { emailRedirectTo } })).error?.message ??
        null,
      [email, app.url + path] as const,
    )
    expect(requested).toBeNull()
    expect(await verifiers(page)).toHaveLength(3)
    const { hash, type, redirectTo } = await app.auth.messageTo(email)
    const query = new URLSearchParams({ token: hash, type, redirect_to: redirectTo })
    const followed = await app.auth.auth.fetch(new Request(`${app.url}/auth/verify?${query}`))
    return { page, email, callback: followed.headers.get('location') ?? '' }
  }

  it('completes a sign-in by mail on the server, in the browser that requested it only', {
    timeout: 90_000,
  }, async () => {
    const { page, email, callback } = await mailed('/callback')

    const otherBrowser = await window()
    await otherBrowser.goto(callback)
    expect(await otherBrowser.textContent('body')).toContain('flow state')
    await page.goto(callback)

    expect(page.url()).toBe(`${app.url}/`)
    // The rest is the client's list of started flows.
    expect(await verifiers(page)).toEqual(['__Host-latchkey-flows-code-verifier'])
    expect(await rendered(page)).toBe(email)
    await settled(page, email)
  })

  it('completes a sign-in by mail in the page as well', { timeout: 90_000 }, async () => {
    const { page, email, callback } = await mailed('/')

    const otherBrowser = await window()
    await otherBrowser.goto(callback)
    await settled(otherBrowser, 'nobody')
    await page.goto(callback)
    await settled(page, email)

    await page.goto(app.url)
    expect(await rendered(page)).toBe(email)
  })

  it('cannot be changed by a subdomain with a form, a script or a cookie', {
    timeout: 90_000,
  }, async () => {
    const { page, email } = await signedIn()
    const attacker = await app.auth.given.user()
    const loot = await signedIn()
    const [planted] = (await loot.page.context().cookies()).filter(({ name }) =>
      name.endsWith('-session'),
    )
    const evil = await page.context().newPage()
    await evil.goto(app.evilUrl)

    const tried = await evil.evaluate(
      async ([app, value, email, password]) => {
        for (const name of [
          'latchkey-session',
          '__Host-latchkey-session',
          '__Host-latchkey-session.1',
        ])
          document.cookie = `${name}=${value}; Domain=app.localhost; Path=/; Secure; Max-Age=1000`
        const ask = async (path: string, init: RequestInit) => {
          const sent = fetch(app + path, { method: 'POST', credentials: 'include', ...init })
          return sent.then(
            () => 'answered',
            () => 'refused',
          )
        }
        const body = JSON.stringify({ email, password })
        const headers = { 'x-use-cookie': '1' }
        return [
          await ask('/auth/token?grant_type=password', { body, headers }),
          await ask('/auth/session', { method: 'GET', headers }),
        ]
      },
      [app.url, planted?.value ?? '', attacker.email ?? '', testPassword] as const,
    )
    expect(tried).toEqual(['refused', 'refused'])
    await page.goto(app.url)
    expect(await rendered(page)).toBe(email)
    await settled(page, email)

    await evil.setContent(`<form action="${app.url}/me" method="post"><button>Win</button></form>`)
    await evil.getByRole('button').click()
    await evil.waitForURL(`${app.url}/me`)
    expect(await evil.textContent('body')).toContain(`pages of ${app.url}`)
    // After a redirect between two foreign origins, a request has cookies but no origin.
    await evil.goto(app.evilUrl)
    await evil.setContent(
      `<form action="${app.bounceUrl}" method="post"><button>Win</button></form>`,
    )
    const bounced = evil.waitForRequest(`${app.url}/me`)
    await evil.getByRole('button').click()
    const headers = await (await bounced).allHeaders()
    expect([headers['origin'], headers['cookie']]).toEqual([
      'null',
      expect.stringContaining('__Host-latchkey-session='),
    ])
    await evil.waitForURL(`${app.url}/me`)
    expect(await evil.textContent('body')).toContain(`pages of ${app.url}`)
    await page.reload()
    expect(await rendered(page)).toBe(email)
    expect(await shown(page)).not.toBe(attacker.email)
  })
})
