import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { describedPages } from './described-pages.ts'
import { oauthPageRoutes, pageRoutes } from './open-pages.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    pages: { enabled: true, name: 'Acme' },
  })
})
afterAll(() => auth?.close())

describe('a page', () => {
  it('may not be framed, stored or loaded with foreign scripts', async () => {
    const { status, headers } = await openBrowser(auth).get('/auth/sign-in')

    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('document-policy')).toBe('force-load-at-top')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is listed in the documents, except the address at which links return', () => {
    const paths = [...pageRoutes, ...oauthPageRoutes].map(({ path }) => path)
    const described = describedPages.map(({ path }) => path)
    expect(described.toSorted()).toEqual(
      paths.filter((path) => path !== '/sign-in/complete').toSorted(),
    )
  })

  it('is there only where the configuration enables it', async () => {
    const { status } = await auth.beside({ pages: { enabled: false } }).then(async (other) => {
      const response = await other.auth.fetch(new Request(`${origin}/auth/sign-in`))
      await other.close()
      return response
    })
    expect(status).toBe(404)
  })

  it('loads two files, all together at most 30 KB', async () => {
    const browser = openBrowser(auth)
    const page = await browser.get('/auth/sign-in')
    const files = [...page.text.matchAll(/(?:href|src)="(\/auth\/pages\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    expect(files).toHaveLength(2)
    const loaded = await Promise.all(files.map((path) => browser.get(path)))
    const bytes = [page, ...loaded].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    expect(loaded.map(({ status }) => status)).toEqual([200, 200])
    expect(bytes).toBeLessThan(30_000)
  })
})

describe('the fields of a page', () => {
  /** Returns the purpose of each field of a page, as browsers and password managers read it. */
  const purposesIn = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/<input\b[^>]*>/g)].flatMap(([input]) => {
        const [, name = ''] = /\sname="([^"]*)"/.exec(input) ?? []
        const [, purpose] = /\sautocomplete="([^"]*)"/.exec(input) ?? []
        return purpose === undefined ? [] : [[name, purpose]]
      }),
    )

  const visitorFields: Record<string, Record<string, string>> = {
    '/sign-in': { identifier: 'username', password: 'current-password' },
    '/sign-in?with=code': { identifier: 'username' },
    '/sign-up': { email: 'username', password: 'new-password' },
    '/forgot-password': { email: 'username' },
  }
  const accountFields: Record<string, Record<string, string>> = {
    '/account': { name: 'name', email: 'email', phone: 'tel' },
    '/account/security': { username: 'username', new_password: 'new-password' },
    '/new-password': { username: 'username', password: 'new-password' },
    '/account/data': { password: 'current-password' },
    '/account/data?with=code': { nonce: 'one-time-code' },
  }

  it('have the purposes of HTML, also for a code by mail', async () => {
    const browser = openBrowser(auth)
    const found = async (paths: object) =>
      Object.fromEntries(
        await Promise.all(
          Object.keys(paths).map(async (path) => [
            path,
            purposesIn((await browser.get(`/auth${path}`)).text),
          ]),
        ),
      )

    expect(await found(visitorFields)).toEqual(visitorFields)
    const signUp = { email: 'purposes@example.test', password: testPassword }
    const sent = await browser.submit('/auth/sign-up', 'password', signUp)
    const prompt = await browser.get(new URL(sent.headers.get('location') ?? '', origin).href)
    expect(purposesIn(prompt.text)).toEqual({ code: 'one-time-code' })
    const { email } = await auth.given.user()
    const credentials = { identifier: email ?? '', password: testPassword }
    await browser.submit('/auth/sign-in', 'password', credentials)
    expect(await found(accountFields)).toEqual(accountFields)
  })

  it('offer passkeys where they are enabled', async () => {
    const other = await auth.beside({ pages: { enabled: true }, passkeys: { enabled: true } })
    const answer = await other.auth.fetch(new Request(`${origin}/auth/sign-in`))
    await other.close()

    expect(purposesIn(await answer.text())).toMatchObject({ identifier: 'username webauthn' })
  })
})

describe('a form', () => {
  it('requires the token of its browser', async () => {
    const { email } = await auth.given.user('token@example.test')
    const victim = openBrowser(auth)
    const attacker = openBrowser(auth)
    const foreign = attacker.tokenIn((await attacker.get('/auth/sign-in')).text)
    const fields = { identifier: email ?? '', password: testPassword }

    for (const form_token of ['', 'x', foreign]) {
      const answer = await victim.submit('/auth/sign-in', 'password', { ...fields, form_token })
      expect(answer.status).toBe(403)
      expect([...victim.jar.keys()]).toEqual(['__Host-latchkey-pages'])
    }
    expect((await victim.submit('/auth/sign-in', 'password', fields)).status).toBe(303)
  })

  it('explains blocked cookies, and an old page otherwise', async () => {
    const browser = openBrowser(auth)
    const path = '/auth/sign-in?do=password'
    const blocked = await browser.send('POST', path, 'form_token=x&identifier=ada')
    const old = await browser.send('POST', path, 'form_token=x&identifier=ada')

    expect([blocked.status, old.status]).toEqual([403, 403])
    expect(blocked.text).toContain('allow cookies for this site')
    expect(old.text).toContain('This page is out of date.')
    expect(old.text).toContain('value="ada"')
  })

  it('with more fields than any form has is rejected before they are read (S66)', async () => {
    const browser = openBrowser(auth)
    const form_token = browser.tokenIn((await browser.get('/auth/sign-in')).text)
    const submit = (fields: string) =>
      browser.send('POST', '/auth/sign-in?do=provider', `form_token=${form_token}&${fields}`)

    const answers = [
      await submit('a='),
      await submit('%FF&'.repeat(400)),
      await submit('%FF&'.repeat(16_000)),
    ]

    // A field that is repeated is rejected with the form, and too many of them without it.
    expect(answers.map(({ status }) => status)).toEqual([303, 400, 400])
    expect(answers[1]?.text).toContain('<form')
    expect(answers[2]?.text).not.toContain('<form')
  })

  it.each([
    { origin: 'https://evil.example.test' },
    { origin: 'null' },
    { origin: 'https://app.example.test.evil.test' },
  ])('is rejected from another origin: %o', async (headers) => {
    const { email } = await auth.given.user()
    const browser = openBrowser(auth)
    const fields = { identifier: email ?? '', password: testPassword }

    expect((await browser.submit('/auth/sign-in', 'password', fields, headers)).status).toBe(403)
    expect(browser.jar.has('__Host-latchkey-session')).toBe(false)
  })

  it('signs in, and stores the session in cookies that only the server reads', async () => {
    const { email } = await auth.given.user()
    const browser = openBrowser(auth)
    const answer = await browser.submit('/auth/sign-in', 'password', {
      identifier: email ?? '',
      password: testPassword,
    })

    expect(answer.headers.get('location')).toBe(origin)
    const session = answer.headers
      .getSetCookie()
      .find((one) => one.startsWith('__Host-latchkey-session='))
    expect(session).toMatch(/; HttpOnly/)
    expect(session).toMatch(/; Secure/)
  })

  it('redirects to permitted targets only', async () => {
    const { email } = await auth.given.user()
    for (const target of [
      'https://evil.test/',
      '//evil.test/',
      'javascript:alert(1)',
      'https://app.example.test@evil.test/',
      'https://app.example.test.evil.test/',
      '/\\\\evil.test',
      'data:text/html,x',
    ]) {
      const browser = openBrowser(auth)
      const answer = await browser.submit(
        `/auth/sign-in?${new URLSearchParams({ redirect_to: target })}`,
        'password',
        { identifier: email ?? '', password: testPassword },
      )
      expect([target, answer.headers.get('location')]).toEqual([target, origin])
    }
  })

  it('presents values of its user and of the URL as text', async () => {
    const markup = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`
    const browser = openBrowser(auth)
    const query = new URLSearchParams({ redirect_to: markup, error_code: markup, lang: markup })

    const pages = [
      await browser.submit(`/auth/sign-in?${query}`, 'password', {
        identifier: markup,
        password: markup,
      }),
      await browser.submit(`/auth/sign-up?${query}`, 'password', {
        email: markup,
        password: markup,
      }),
      await browser.submit(`/auth/forgot-password?${query}`, 'send', { email: markup }),
      await browser.get(`/auth/error?${query}`),
      await browser.get(`/auth/sign-in/complete?${query}`),
      await browser.get(`/auth/confirm?${query}`),
    ]
    for (const { text } of pages) {
      expect(text).not.toMatch(/<script>alert|<img src=x/)
    }
  })

  it('responds to an unknown address like to a known one', async () => {
    const known = await auth.given.user()
    const answers = await Promise.all(
      [known.email ?? '', 'unknown@example.test'].map((email) =>
        openBrowser(auth).submit('/auth/forgot-password', 'send', { email }),
      ),
    )
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, '/auth/confirm'],
      [303, '/auth/confirm'],
    ])
  })

  it('responds to 20 equal requests without a fault', async () => {
    const browser = openBrowser(auth)
    const form_token = browser.tokenIn((await browser.get('/auth/sign-up')).text)
    const fields = `${new URLSearchParams({ form_token, email: 'twenty@example.test', password: testPassword })}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => browser.send('POST', '/auth/sign-up?do=password', fields)),
    )
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  })

  it('responds to repeated, missing and unreadable fields with a 4xx', async () => {
    const browser = openBrowser(auth)
    const form_token = browser.tokenIn((await browser.get('/auth/sign-in')).text)
    for (const body of [
      `form_token=${form_token}&identifier=a&identifier=b&password=x`,
      `form_token=${form_token}`,
      `form_token=${form_token}&identifier=%00&password=%00`,
      `form_token=${form_token}&identifier=%FF%FE&password=%ED%A0%80`,
      '{"identifier":1}',
      '',
    ]) {
      const { status } = await browser.send('POST', '/auth/sign-in?do=password', body)
      expect([body, status >= 400 && status < 500]).toEqual([body, true])
    }
    expect((await browser.send('POST', '/auth/sign-in?do=nothing', '')).status).toBe(404)
    expect((await browser.send('POST', '/auth/sign-in?do=constructor', '')).status).toBe(404)
  })
})

describe('a user who is signed in', () => {
  const signedIn = async () => {
    const { email = '' } = await auth.given.user()
    const browser = openBrowser(auth)
    await browser.submit('/auth/sign-in', 'password', {
      identifier: email ?? '',
      password: testPassword,
    })
    return browser
  }
  const target = `${origin}/orders`
  const query = new URLSearchParams({ redirect_to: target })

  it.each(['/auth/sign-in', '/auth/sign-up'])('is redirected by %s to the target', async (path) => {
    const browser = await signedIn()

    const { status, headers } = await browser.get(`${path}?${query}`)

    expect([status, headers.get('location')]).toEqual([303, target])
    expect((await openBrowser(auth).get(`${path}?${query}`)).status).toBe(200)
  })

  it.each([
    ['the application', `${origin}/orders`, false],
    ['a page', `${origin}/auth/account`, true],
  ])(
    'reads the notice of a new password after a redirect to %s: %s',
    async (_, redirect_to, is) => {
      const browser = await signedIn()
      const path = `/auth/new-password?${new URLSearchParams({ redirect_to })}`
      const changed = await browser.submit(path, 'save', { password: 'another correct horse' })

      const { text } = await browser.get('/auth/error?error_code=otp_expired')

      expect([changed.status, changed.headers.get('location')]).toEqual([303, redirect_to])
      expect(text.includes('Your password was changed.')).toBe(is)
    },
  )
})
