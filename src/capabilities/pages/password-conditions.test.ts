import { expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { openCookieSessions } from '../../hosts/cookie-sessions/cookie-sessions.ts'

const pages = { enabled: true, name: 'Acme' }

it('a new password that requires the current one leads to a new link or code', async () => {
  const security = { passwordUpdate: { requireCurrentPassword: true } }
  const auth = await startMessagingAuth({ siteUrl: origin, pages, security })
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  await browser.submit('/sign-in', 'password', { identifier: email ?? '', password: testPassword })
  const form = { password: `another ${testPassword}` }
  const { status, headers } = await browser.submit('/new-password', 'save', form)
  const next = await browser.get('/forgot-password')
  await auth.close()

  expect([status, headers.get('location')]).toEqual([303, '/forgot-password'])
  expect([next.status, next.text.includes('Sign in again to continue.')]).toEqual([200, true])
})

it('a user whose only address is of this day is informed, and gets no form for a nonce', async () => {
  const auth = await startMessagingAuth({
    siteUrl: origin,
    pages,
    security: { passwordUpdate: { requireReauthentication: true } },
  })
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  await browser.submit('/sign-in', 'password', { identifier: email ?? '', password: testPassword })
  const change = 'email_changed_at = $2, password_hash = null'
  await auth.rows(`update auth.users set ${change} where email = $1`, [
    email,
    auth.clock.now().toISOString(),
  ])
  const shown = []
  for (const path of ['/account/security', '/new-password', '/account/data']) {
    const { status, text } = await browser.get(path)
    const offers = ['name="nonce"', 'do=nonce"', 'do=code"', 'do=delete"'].filter((part) =>
      text.includes(part),
    )
    shown.push([status, text.includes('Your address was changed in the last day.'), offers])
  }
  await auth.close()

  expect(shown).toEqual(Array(3).fill([200, true, []]))
})

it('a user to whom no nonce can be sent gets no field for one', async () => {
  const auth = await startMessagingAuth({
    siteUrl: origin,
    pages,
    security: { passwordUpdate: { requireReauthentication: true } },
    passkeys: { enabled: true, signUpEnabled: true },
  })
  const { body } = await passkeysOf(auth).signUp(createAuthenticator())
  const browser = openBrowser(auth)
  const sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
  const session = await sessions.open({ method: 'POST', headers: { origin } })
  await session.keep({ accessToken: body.access_token, refreshToken: body.refresh_token })
  for (const one of session.cookieHeader().split('; ')) {
    const [name = '', value = ''] = one.split('=')
    browser.jar.set(name, value)
  }
  const { status, text } = await browser.get('/account/security')
  await auth.close()

  expect(status).toBe(200)
  expect(text).toContain('name="new_password"')
  expect(text).not.toContain('name="nonce"')
})
