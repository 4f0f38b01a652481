import { afterEach, describe, expect, it } from 'vitest'
import { startCaptchaProvider } from '../../../test/support/captcha-provider.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { makeWallet, walletMessage } from '../../../test/support/wallets.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import type { World } from '../../service/world.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(config: AuthConfig = {}, world: World = {}): Promise<MessagingAuth> {
  const auth = await startMessagingAuth(
    {
      siteUrl: origin,
      basePath: '/auth',
      ...config,
      pages: { enabled: true, name: 'Acme', ...config.pages },
    },
    world,
  )
  closing.push(auth.close)
  return auth
}

const isSignedIn = (browser: ReturnType<typeof openBrowser>): boolean =>
  browser.jar.has('__Host-latchkey-session')

describe('where sign-up is closed', () => {
  it('no page creates an account', async () => {
    const auth = await start({ signUp: { disabled: true } })
    const browser = openBrowser(auth)
    const fields = { email: 'eve@example.test', password: testPassword }

    const [signUp, signIn] = [
      await browser.get('/auth/sign-up'),
      await browser.get('/auth/sign-in'),
    ]
    await browser.get('/auth/forgot-password')
    const rejected = await browser.submit('/auth/forgot-password?x', 'send', fields)
    const form = new URLSearchParams({ form_token: browser.tokenIn(signIn.text), ...fields })
    const sent = await browser.send('POST', '/auth/sign-up?do=password', `${form}`)

    expect(signUp.text).toContain('Sign-up is closed')
    expect(signUp.text).not.toContain('name="password"')
    expect(signIn.text).not.toContain('/auth/sign-up')
    expect(rejected.status).toBe(303)
    expect(sent.status).toBe(422)
    expect(sent.text).toContain('Sign-up is closed')
    expect((await auth.auth.admin.listUsers()).users).toEqual([])
  })

  it('an invitation is accepted by a button, and continues with a password', async () => {
    const auth = await start({ signUp: { disabled: true } })
    await auth.auth.admin.inviteUser({ email: 'ada@example.test' })
    const { hash, type } = await auth.messageTo('ada@example.test')
    const browser = openBrowser(auth)
    const path = `/auth/confirm?${new URLSearchParams({ token: hash, type })}`

    const shown = await browser.get(path)
    expect(isSignedIn(browser)).toBe(false)
    expect(shown.text).toContain('You have been invited')
    const accepted = await browser.submit(path, 'invitation', {})

    expect(accepted.headers.get('location')).toBe('/auth/new-password')
    expect(isSignedIn(browser)).toBe(true)
    const { text } = await browser.get('/auth/new-password')
    expect(text).toContain('<h1>Choose a password</h1>')
    expect(text).toContain('Signed in as ada@example.test.')
    expect(text).not.toContain('other devices')
    const saved = await browser.submit('/auth/new-password', 'save', { password: testPassword })
    expect(saved.headers.get('location')).toBe(origin)
    const again = await openBrowser(auth).submit(path, 'invitation', {})
    expect(again.status).toBe(403)
    expect(again.text).toContain('You have been invited')
    expect(again.text).toContain('This invitation was already used or has expired.')
    expect(again.text).not.toContain('Request a new one')
  })

  it('an invitation names its account, and the one that it signs out', async () => {
    const auth = await start()
    await auth.auth.admin.inviteUser({ email: 'ada@example.test' })
    const { hash, type } = await auth.messageTo('ada@example.test')
    const path = `/auth/confirm?${new URLSearchParams({ token: hash, type })}`
    const { email } = await auth.given.user('bob@example.test')
    const browser = openBrowser(auth)
    const visitor = openBrowser(auth)
    const credentials = { identifier: email ?? '', password: testPassword }
    await browser.submit('/auth/sign-in', 'password', credentials)
    const accountsIn = ({ text }: { text: string }) =>
      [...text.matchAll(/<bdi>([^<]+)<\/bdi>/g)].map(([, name]) => name)

    const shown = await browser.get(path)
    const invalid = await browser.get('/auth/confirm?type=invite&token=invalid')
    const ofVisitor = await visitor.get(path)
    await browser.submit(path, 'invitation', {})
    const { text: account } = await browser.get('/auth/account')

    expect(accountsIn(shown)).toEqual(['ada@example.test', 'bob@example.test'])
    expect([accountsIn(invalid), accountsIn(ofVisitor)]).toEqual([[], []])
    expect(account).toContain('ada@example.test')
  })

  it('mails of invitations lead to the page', async () => {
    const auth = await start()
    expect((await auth.deps()).config.email.urlPaths).toMatchObject({
      invite: '/auth/confirm',
      recovery: '/auth/verify',
    })
  })
})

describe('the page of a mailed link', () => {
  it.each(['button', 'none'] as const)(
    'neither consumes the link nor reveals it, with links.confirm: %s',
    async (confirm) => {
      const auth = await start({ links: { confirm } })
      const browser = openBrowser(auth)
      const email = 'ada@example.test'
      await browser.submit('/auth/sign-up', 'password', { email, password: testPassword })
      const { hash, type, redirectTo } = await auth.messageTo(email)
      const query = new URLSearchParams({ token: hash, type, redirect_to: redirectTo })

      const shown = await browser.get(`/auth/confirm?${query}`)
      const wrong = await browser.get(`/auth/confirm?${new URLSearchParams({ token: 'x', type })}`)
      expect([shown.status, wrong.status]).toEqual([200, 200])
      expect(shown.text).toContain('Confirm your email address')
      expect(shown.text).toContain(
        `<form method="${confirm === 'button' ? 'post' : 'get'}" action="/auth/verify">`,
      )

      const used =
        confirm === 'button'
          ? await browser.send('POST', '/auth/verify', `${query}`)
          : await browser.get(`/auth/verify?${query}`)
      expect(used.status).toBe(303)
      const back = new URL(used.headers.get('location') ?? '')
      const done = await browser.get(`${back.pathname}${back.search}`)
      expect(done.headers.get('location')).toBe(origin)
      expect(isSignedIn(browser)).toBe(true)
    },
  )

  it('rejects a link without a type', async () => {
    const auth = await start()
    expect((await openBrowser(auth).get('/auth/confirm?token=x')).status).toBe(400)
  })
})

describe('codes of a second factor', () => {
  it.each(['phone', 'email'] as const)(
    'by %s are enrolled and verified on the pages',
    async (kind) => {
      const auth = await start({
        mfa: {
          phone: { enrollEnabled: true, verifyEnabled: true, maxFrequencySeconds: 0 },
          email: { enrollEnabled: true, verifyEnabled: true },
        },
        email: { maxFrequencySeconds: 0 },
      })
      const { email = '' } = await auth.given.user()
      const to = kind === 'phone' ? '15550100' : (email as string)
      const signIn = (browser: ReturnType<typeof openBrowser>) =>
        browser.submit('/auth/sign-in', 'password', {
          identifier: email as string,
          password: testPassword,
        })
      const browser = openBrowser(auth)
      await signIn(browser)
      const fields = { factor_type: kind, ...(kind === 'phone' && { phone: '+1 (555) 0100' }) }
      await browser.submit('/auth/account/security', 'sent', fields)
      const { code } = await auth.messageTo(to)
      const wrong = await browser.submit('/auth/account/security', 'sent-verify', {
        code: '000000',
      })
      expect(wrong.status).toBe(422)
      const enrolled = await browser.submit('/auth/account/security', 'sent-verify', { code })
      expect(enrolled.headers.get('location')).toBe('/auth/account/security')
      auth.clock.advance(60)

      const other = openBrowser(auth)
      expect((await signIn(other)).headers.get('location')).toBe('/auth/second-factor')
      const shown = await other.get('/auth/second-factor')
      expect(shown.text).not.toContain('name="code"')
      const factor_id = /name="factor_id" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
      const sent = await other.submit('/auth/second-factor', 'send', { factor_id })
      expect(sent.status).toBe(303)
      const pending = await other.get('/auth/second-factor')
      expect(pending.text).toContain('autocomplete="one-time-code"')
      const second = await auth.messageTo(to)
      expect(second.code).not.toBe(code)
      expect(isSignedIn(other)).toBe(false)
      const done = await other.submit('/auth/second-factor', 'verify', {
        factor_id,
        code: second.code,
      })
      expect(done.headers.get('location')).toBe(origin)
      expect(isSignedIn(other)).toBe(true)
    },
  )
})

describe('with captchas', () => {
  it('forms contain the widget, and are rejected without a solved one', async () => {
    const provider = await startCaptchaProvider()
    closing.push(() => provider.close())
    const auth = await start(
      {
        security: { captcha: { enabled: true, provider: 'turnstile', secret: 'secret' } },
        pages: { captchaSiteKey: 'site"key' },
      },
      { fetch: provider.fetch },
    )
    const { email = '' } = await auth.given.user()
    const browser = openBrowser(auth)
    const shown = await browser.get('/auth/sign-in')
    expect(shown.text).toContain('class="cf-turnstile" data-sitekey="site&quot;key"')
    const policy = shown.headers.get('content-security-policy')
    expect(policy).toContain('https://challenges.cloudflare.com')
    expect(policy).not.toContain('unsafe')
    const account = await browser.get('/auth/signed-out')
    expect(account.headers.get('content-security-policy')).not.toContain('cloudflare')

    const fields = { identifier: email as string, password: testPassword }
    const field = 'cf-turnstile-response'
    for (const token of ['', 'unknown']) {
      const rejected = await browser.submit('/auth/sign-in', 'password', {
        ...fields,
        [field]: token,
      })
      expect([rejected.status, isSignedIn(browser)]).toEqual([400, false])
    }
    const solved = { ...fields, [field]: 'solved-1' }
    expect((await browser.submit('/auth/sign-in', 'password', solved)).status).toBe(303)
    expect(isSignedIn(browser)).toBe(true)
    expect((await openBrowser(auth).submit('/auth/sign-in', 'password', solved)).status).toBe(400)
  })
})

describe('a page of the application', () => {
  const own = {
    signIn: '/login',
    signUp: '/join?from=pages',
    forgotPassword: '/forgot',
    newPassword: '/password',
    secondFactor: 'https://accounts.example.test/factor',
    account: '/me',
    signedOut: '/goodbye',
    error: '/oops',
  }

  it.each([
    ['/sign-in', `${origin}/login`],
    ['/sign-up', `${origin}/join?from=pages`],
    ['/forgot-password', `${origin}/forgot`],
    ['/new-password', `${origin}/password`],
    ['/second-factor', 'https://accounts.example.test/factor'],
    ['/account', `${origin}/me`],
    ['/signed-out', `${origin}/goodbye`],
    ['/error', `${origin}/oops`],
  ])('replaces %s, and receives the same query', async (path, replacement) => {
    const auth = await start({ pages: own })
    const query = new URLSearchParams({ redirect_to: `${origin}/plans?a=1&b=2`, lang: 'de' })

    const { status, headers } = await openBrowser(auth).get(`/auth${path}?${query}`)

    const separator = replacement.includes('?') ? '&' : '?'
    expect(status).toBe(303)
    expect(headers.get('location')).toBe(`${replacement}${separator}${query}`)
  })

  it('replaces the forms, too', async () => {
    const auth = await start({ pages: { signIn: '/login' } })
    const browser = openBrowser(auth)
    const { text } = await browser.get('/auth/sign-up')
    const form = new URLSearchParams({ form_token: browser.tokenIn(text) })

    expect((await browser.send('POST', '/auth/sign-in?do=password', `${form}`)).status).toBe(404)
  })
})

describe('the appearance', () => {
  it('follows theme, logo, stylesheet and texts', async () => {
    const auth = await start({
      pages: {
        logoUrl: 'https://cdn.example.test/logo.svg',
        stylesheetUrl: 'https://cdn.example.test/acme.css',
        theme: { accent: 'light-dark(#2b50d8, #8ea6ff)', radius: '4px' },
        texts: {
          en: { 'signIn.heading': 'Welcome to {site} <b>' },
          de: { 'signIn.submit': 'Los' },
        },
      },
    })
    const english = await openBrowser(auth).get('/auth/sign-in', { 'accept-language': 'en' })
    const german = await openBrowser(auth).get('/auth/sign-in', { 'accept-language': 'de' })

    expect(english.text).toContain(':root{--accent:light-dark(#2b50d8, #8ea6ff);--radius:4px}')
    expect(english.text).toContain('<img src="https://cdn.example.test/logo.svg" alt="Acme">')
    expect(english.text).toContain('href="https://cdn.example.test/acme.css"')
    expect(english.text).toContain('<h1>Welcome to Acme &lt;b&gt;</h1>')
    expect(english.headers.get('content-security-policy')).toContain(
      'img-src data: https://cdn.example.test',
    )
    expect(german.text).toContain('>Los</button>')
    expect(german.text).toContain('<html lang="de"')
  })

  it.each(['red;} body{display:none', '</style><script>', 'url(https://evil.test)', "'x'"])(
    'rejects %s as a color',
    async (accent) => {
      await expect(start({ pages: { theme: { accent } } })).rejects.toThrow('pages.theme.accent')
    },
  )

  it('has the languages that the application adds', async () => {
    const auth = await start({
      pages: {
        texts: { ar: { 'signIn.submit': 'تسجيل الدخول' }, it: { 'signIn.submit': 'Entra' } },
      },
    })
    const preferred = await openBrowser(auth).get('/auth/sign-in', {
      'accept-language': 'ar-EG,de',
    })
    const browser = openBrowser(auth)
    const { text } = await browser.get('/auth/sign-in?lang=it')
    const kept = await browser.get('/auth/sign-up', { 'accept-language': 'de' })

    expect(preferred.text).toContain('<html lang="ar" dir="rtl">')
    expect(preferred.text).toContain('>تسجيل الدخول</button>')
    expect(preferred.text).toContain('>Italiano</a>')
    expect(text).toContain('<html lang="it" dir="ltr">')
    expect(text).toContain('>Entra</button>')
    expect(kept.text).toContain('<html lang="it"')
  })

  it('reports texts with unknown keys', async () => {
    const lines: object[] = []
    const note = (fields: object) => void lines.push(fields)
    const logger = { debug: note, info: note, warn: note, error: note, fatal: note }
    await start({
      logger,
      pages: { texts: { en: { 'signIn.headin': 'x' }, xx: { 'signIn.heading': 'x' } } },
    }).then((auth) => auth.deps())

    expect(lines).toContainEqual(expect.objectContaining({ key: 'en.signIn.headin' }))
    expect(lines).toContainEqual(expect.objectContaining({ key: 'xx' }))
  })
})

describe('wallets', () => {
  it.each(['ethereum', 'solana'] as const)('sign in with %s where it is enabled', async (chain) => {
    const auth = await start({
      web3: { ethereumEnabled: chain === 'ethereum', solanaEnabled: chain === 'solana' },
    })
    const wallet = makeWallet(chain)
    const browser = openBrowser(auth)
    const message = walletMessage(wallet, auth.clock.now(), { uri: `${origin}/auth/sign-in` })
    const fields = { chain, message, signature: wallet.sign(message) }

    expect((await browser.get('/auth/sign-in')).text.match(/data-wallet="\w+"/g)).toEqual([
      `data-wallet="${chain}"`,
    ])
    const wrong = await browser.submit('/auth/sign-in', 'wallet', {
      ...fields,
      signature: makeWallet(chain).sign(message),
    })
    expect([wrong.status, isSignedIn(browser)]).toEqual([400, false])
    const second = walletMessage(wallet, auth.clock.now(), {
      uri: `${origin}/auth/sign-in`,
      statement: 'Second',
    })
    const done = await browser.submit('/auth/sign-in', 'wallet', {
      chain,
      message: second,
      signature: wallet.sign(second),
    })
    expect([done.status, isSignedIn(browser)]).toEqual([303, true])
  })

  it('are absent by default', async () => {
    const auth = await start()
    expect((await openBrowser(auth).get('/auth/sign-in')).text).not.toContain('data-wallet=')
  })
})
