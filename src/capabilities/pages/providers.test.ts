import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../../test/support/openid-provider.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { oidc } from '../../credentials/external/oidc.ts'

let auth: MessagingAuth
let provider: OpenIdProvider

beforeAll(async () => {
  const client = { clientId: 'pages', clientSecret: 'a secret of the client' }
  provider = await startOpenIdProvider({ ...client, redirectUri: `${origin}/auth/callback` })
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    security: { manualLinkingEnabled: true },
    providers: { acme: oidc({ ...client, issuer: provider.issuer, label: 'Acme ID' }) },
    pages: { enabled: true, name: 'Acme' },
  })
  // The provider has the time of this machine.
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
})
afterAll(async () => {
  await auth?.close()
  await provider?.close()
})

/** Follows redirects through the provider and the pages, until a page outside both. */
async function follow(browser: ReturnType<typeof openBrowser>, first: string) {
  const jar = new Map<string, string>()
  let location = first
  for (let count = 0; count < 12; count++) {
    const url = new URL(location, origin)
    if (url.origin === origin) {
      if (!url.pathname.startsWith('/auth')) return url.href
      const answer = await browser.get(`${url.pathname}${url.search}`)
      const next = answer.headers.get('location')
      if (next === null) return answer.text
      location = next
    } else {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        jar.set(name, value)
      }
      location = new URL(answer.headers.get('location') ?? '', url).href
    }
  }
  throw new Error(`no end of redirects at ${location}`)
}

it('signs in through a provider, and returns to the redirect target', async () => {
  const browser = openBrowser(auth)
  provider.signsIn = { sub: 'first', email: 'first@example.test', email_verified: true }
  const target = `${origin}/welcome`
  const path = `/auth/sign-in?${new URLSearchParams({ redirect_to: target })}`
  const started = await browser.submit(path, 'provider', { provider: 'acme' })

  expect(await follow(browser, started.headers.get('location') ?? '')).toBe(target)
  expect((await browser.get('/auth/account')).text).toContain('first@example.test')
})

it('links and unlinks a provider without a further confirmation', async () => {
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  await browser.submit('/auth/sign-in', 'password', {
    identifier: email ?? '',
    password: testPassword,
  })
  provider.signsIn = { sub: 'linked', email: 'linked@example.test', email_verified: true }
  const started = await browser.submit('/auth/account/identities', 'connect', { provider: 'acme' })

  const text = await follow(browser, started.headers.get('location') ?? '')
  expect(text).toContain('The account is connected.')
  expect(text).toContain('linked@example.test')
  expect(text).not.toContain('Connect Acme ID')
  const identity_id = /name="identity_id" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await browser.submit('/auth/account/identities', 'disconnect', { identity_id })
  const disconnected = (await browser.get('/auth/account/identities')).text
  expect(disconnected).toContain('No account is connected')
  expect(disconnected).toContain('Connect Acme ID')
})

it('keeps the way back to the application while a provider is linked', async () => {
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  await browser.submit('/auth/sign-in', 'password', {
    identifier: email ?? '',
    password: testPassword,
  })
  provider.signsIn = { sub: 'back', email: 'back@example.test', email_verified: true }
  const target = `${origin}/payouts`
  const path = `/auth/account/identities?${new URLSearchParams({ redirect_to: target })}`
  const started = await browser.submit(path, 'connect', { provider: 'acme' })

  const text = await follow(browser, started.headers.get('location') ?? '')
  expect(text).toContain('The account is connected.')
  expect(text).toContain(`href="${target}">Back to `)
})

it.each([2_000, 6_000])('links a provider beside a target of %i characters', async (length) => {
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  await browser.submit('/auth/sign-in', 'password', {
    identifier: email ?? '',
    password: testPassword,
  })
  const target = `${origin}/payouts?${'a='.repeat(length / 2)}`
  const path = `/auth/account/identities?${new URLSearchParams({ redirect_to: target })}`
  provider.signsIn = { sub: `${length}`, email: `${length}@example.test`, email_verified: true }
  const started = await browser.submit(path, 'connect', { provider: 'acme' })

  const text = await follow(browser, started.headers.get('location') ?? '')
  expect(text).toContain('The account is connected.')
})
