import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oidc } from '../src/index.ts'
import { type OpenIdProvider, startOpenIdProvider } from './support/openid-provider.ts'
import { type PagesApp, startPagesApp } from './support/pages-app.ts'
import { describePages } from './support/pages-suite.ts'
import { secondFactors } from './support/second-factors.ts'
import { testPassword } from './support/test-auth.ts'
import { connectAuthenticator } from './support/virtual-authenticator.ts'

let app: PagesApp
let provider: OpenIdProvider

beforeAll(async () => {
  const client = { clientId: 'pages', clientSecret: 'a secret of the client' }
  app = await startPagesApp(async (url) => {
    const redirectUri = `${url}/auth/callback`
    provider = await startOpenIdProvider({ ...client, redirectUri, asks: true })
    return {
      phone: { enabled: true },
      passkeys: { enabled: true, signUpEnabled: true },
      providers: { acme: oidc({ ...client, issuer: provider.issuer, label: 'Acme ID' }) },
      security: { manualLinkingEnabled: true },
    }
  })
})
afterAll(async () => {
  await app?.close()
  await provider?.close()
})

let count = 0
const newAddress = (): string => `grace${count++}@example.test`

describePages(
  'the flows of an account',
  ({ hasScripts, window, button, heading, signIn, signedInUser, typePassword }) => {
    const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
    const home = (page: Page) => page.waitForURL(`${app.url}/`)

    async function signedIn(): Promise<{ page: Page; email: string }> {
      const { email } = await app.auth.given.user(newAddress())
      const page = await window()
      await page.goto(`${app.pages}/sign-in`)
      await signIn(page, email ?? '')
      await home(page)
      return { page, email: email ?? '' }
    }

    async function signOut(page: Page): Promise<void> {
      await page.goto(`${app.pages}/account`)
      await button(page, 'Sign out').click()
      await heading(page, 'You are signed out')
    }

    /** Returns the content of the file that a click downloads. */
    async function downloaded(page: Page, click: () => Promise<void>): Promise<string> {
      const [download] = await Promise.all([page.waitForEvent('download'), click()])
      return readFile(await download.path(), 'utf8')
    }

    it('sign up, enrol an app, sign in with it, and with a recovery code', async () => {
      const email = newAddress()
      const page = await window()
      await page.goto(`${app.pages}/sign-up`)
      await page.getByLabel('Email', { exact: true }).fill(email)
      await typePassword(page, testPassword)
      await button(page, 'Create account').click()
      await heading(page, 'Check your inbox')
      await page.goto(app.linkOf(await app.auth.messageTo(email)))
      await home(page)

      await page.goto(`${app.pages}/account/security`)
      await button(page, 'Add authenticator app').click()
      await heading(page, 'Set up your authenticator app')
      const secret = (await page.locator('.secret').innerText()).replaceAll(' ', '')
      const code = () => secondFactors(app.auth).codeOf({ secret })
      await page.getByLabel('Code').fill(code())
      await button(page, 'Finish').click()
      await page.getByText('Two-step sign-in is on.').waitFor()

      await button(page, 'Create recovery codes').click()
      await heading(page, 'Save your recovery codes')
      const codes = await page.locator('.codes li').allInnerTexts()
      const file = await downloaded(page, () => link(page, 'Download').click())
      expect(codes.length).toBeGreaterThan(5)
      expect(file.trim().split(/\r\n/).slice(2)).toEqual(codes)
      await link(page, 'I have saved them').click()
      await page.getByText(`Unused codes: ${codes.length}`).waitFor()

      await signOut(page)
      await link(page, 'Sign in again').click()
      await signIn(page, email)
      await heading(page, 'Confirm that it is you')
      const application = await page.context().newPage()
      await application.goto(app.url)
      expect(await signedInUser(application)).toBe('nobody')
      app.auth.clock.advance(60)
      await page.getByLabel('Code').fill(code())
      await button(page, 'Confirm').click()
      await home(page)
      expect(await signedInUser(page)).toBe(email)

      await signOut(page)
      await page.goto(`${app.pages}/sign-in`)
      await signIn(page, email)
      await link(page, 'Recovery codes').click()
      await page.getByLabel('Code').fill(codes[0] ?? '')
      await button(page, 'Confirm').click()
      await home(page)
      await page.goto(`${app.pages}/account/security`)
      await page.getByText(`Unused codes: ${codes.length - 1}`).waitFor()
    })

    it('set a forgotten password by the code', async () => {
      const { email } = await app.auth.given.user(newAddress())
      const page = await window()
      await page.goto(`${app.pages}/forgot-password`)
      await page.getByLabel('Email').fill(email ?? '')
      await button(page, 'Send email').click()
      await heading(page, 'Check your inbox')
      await page.getByLabel('Code').fill((await app.auth.messageTo(email ?? '')).code)
      await button(page, 'Continue').click()
      await heading(page, 'Set a new password')
      await typePassword(page, 'another horse')
      await button(page, 'Save password').click()
      await home(page)
      expect(await signedInUser(page)).toBe(email)
    })

    if (hasScripts) {
      it('sign up with a passkey', async () => {
        const page = await window()
        const authenticator = await connectAuthenticator(page)
        await page.goto(`${app.pages}/sign-up`)
        await button(page, 'Sign up with a passkey').click()
        await home(page)

        const [credential] = await authenticator.credentials()
        expect(await signedInUser(page)).toBe(atob(credential?.userHandle ?? ''))
        await page.goto(`${app.pages}/account/security`)
        await page.getByText('Added ').waitFor()
      })

      it('sign in again before another passkey is added in an old session', async () => {
        const page = await window()
        await connectAuthenticator(page)
        await page.goto(`${app.pages}/sign-up`)
        await button(page, 'Sign up with a passkey').click()
        await home(page)
        app.auth.clock.advance(601)
        try {
          await page.goto(`${app.pages}/account/security`)
          await button(page, 'Add passkey').click()

          await page.waitForURL(/\/sign-in\?.*again=1/)
          // The authenticator signs in by autofill.
          await heading(page, 'Security')
        } finally {
          app.auth.clock.advance(-601)
        }
      })

      it('add a passkey, sign in by autofill, and remove it', async () => {
        const { page, email } = await signedIn()
        await connectAuthenticator(page)
        await page.goto(`${app.pages}/account/security`)
        await button(page, 'Add passkey').click()
        await page.getByText('Your passkey is ready.').waitFor()
        await button(page, 'Add passkey').click()
        await page.getByText('This device already has a passkey for this account.').waitFor()
        expect(await page.getByText('Your passkey is ready.').count()).toBe(0)

        await signOut(page)
        await page.goto(`${app.pages}/sign-in`)
        await home(page)
        expect(await signedInUser(page)).toBe(email)

        await page.goto(`${app.pages}/account/security`)
        await page.locator('summary', { hasText: 'Remove' }).click()
        await button(page, 'Remove').click()
        await page.getByText('You have no passkeys yet.').waitFor()
        await signOut(page)
        await page.goto(`${app.pages}/sign-in`)
        await page.getByText('This passkey or key was not accepted.').waitFor()
      })
    } else {
      it('offer no passkeys', async () => {
        const { page } = await signedIn()
        await page.goto(`${app.pages}/account/security`)
        // This browser does not show it where scripts are disabled by its tools.
        const hint = await page.locator('noscript').first().textContent()
        expect(hint).toContain('Turn on JavaScript to add a passkey.')
        expect(await button(page, 'Add passkey').isVisible()).toBe(false)
        await signOut(page)
        await page.goto(`${app.pages}/sign-in`)
        expect(await button(page, 'Sign in with a passkey').isVisible()).toBe(false)
      })
    }

    const consent = 'Let the application know who I am'

    it('sign in through a provider for the first time, and again', async () => {
      const email = newAddress()
      provider.signsIn = { sub: email, email, email_verified: true, name: 'Grace' }
      const page = await window()
      for (const isFirst of [true, false]) {
        await page.goto(`${app.pages}/sign-in`)
        await button(page, 'Continue with Acme ID').click()
        // The provider has a session of its own the second time.
        if (isFirst) await button(page, consent).click()
        await home(page)
        expect(await signedInUser(page)).toBe(email)
        await page.goto(`${app.pages}/account/identities`)
        await page.getByText('Acme ID').first().waitFor()
        await signOut(page)
      }
      expect(provider.refusals).toEqual([])
    })

    it('connect a provider, sign in with it, and disconnect it', async () => {
      const { page, email } = await signedIn()
      const name = newAddress()
      provider.signsIn = { sub: name, email: name, email_verified: true, name: 'Grace' }
      await page.goto(`${app.pages}/account/identities`)
      await button(page, 'Connect Acme ID').click()
      await button(page, consent).click()
      await page.getByText('The account is connected.').waitFor()
      await page.getByText(name).waitFor()

      await signOut(page)
      await page.goto(`${app.pages}/sign-in`)
      await button(page, 'Continue with Acme ID').click()
      await home(page)
      expect(await signedInUser(page)).toBe(email)

      await page.goto(`${app.pages}/account/identities`)
      await page.locator('summary', { hasText: 'Disconnect' }).click()
      await button(page, 'Disconnect').click()
      await page.getByText('The account is disconnected.').waitFor()
      await page.getByText('No account is connected.').waitFor()
    })

    it('sign up and in with a code by SMS', async () => {
      const number = `1555010${String(count++).padStart(4, '0')}`
      const page = await window()
      await page.goto(`${app.pages}/sign-in`)
      await link(page, 'Sign in with a code instead').click()
      await page.locator('[name=identifier]').fill(`+${number.slice(0, 4)} ${number.slice(4)}`)
      await button(page, 'Send sign-in code').click()
      await heading(page, 'Check your phone')
      const { code } = await app.auth.messageTo(number)
      await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
      await button(page, 'Continue').click()
      await page.getByText('This code or link is wrong').waitFor()
      await page.getByLabel('Code').fill(code)
      await button(page, 'Continue').click()
      await home(page)
      await page.goto(`${app.pages}/account`)
      expect(await page.getByRole('textbox', { name: 'Phone number' }).inputValue()).toBe(
        `+${number}`,
      )
    })

    it('change the address in two steps', async () => {
      const { page, email } = await signedIn()
      const address = newAddress()
      await page.goto(`${app.pages}/account`)
      const field = page.getByRole('textbox', { name: 'Email' })
      await field.fill(address)
      await page.getByRole('form', { name: 'Email' }).getByRole('button').click()
      await page.getByText('We sent an email to your current and to your new address.').waitFor()
      await page.getByText(`the one to ${email} and the one to ${address}.`).waitFor()
      expect(await field.inputValue()).toBe(email)

      await page.goto(app.linkOf(await app.auth.messageTo(address)))
      await page.getByText('Now confirm with the message that we sent').waitFor()
      await page.getByText(`open the link that we sent to ${email}, too.`).waitFor()
      expect(await field.inputValue()).toBe(email)

      await page.goto(app.linkOf(await app.auth.messageTo(email)))
      await page.getByText('The change was confirmed.').waitFor()
      expect(await field.inputValue()).toBe(address)
    })

    it('confirm a change of address in a browser without the session', async () => {
      const { page, email } = await signedIn()
      const address = newAddress()
      await page.goto(`${app.pages}/account`)
      await page.getByRole('textbox', { name: 'Email' }).fill(address)
      await page.getByRole('form', { name: 'Email' }).getByRole('button').click()
      await page.getByText('We sent an email to your current and to your new address.').waitFor()

      const other = await window()
      await other.goto(app.linkOf(await app.auth.messageTo(address)))
      await other.getByText('Now confirm with the message that we sent').waitFor()
      await other.goto(app.linkOf(await app.auth.messageTo(email)))
      await heading(other, 'Thank you')
      await other.goto(app.url)
      expect(await signedInUser(other)).toBe('nobody')
      await page.goto(`${app.pages}/account`)
      expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(address)
    })

    it('list the sessions and sign out another one', async () => {
      const { page, email } = await signedIn()
      const other = await window()
      const third = await window()
      for (const one of [other, third]) {
        await one.goto(`${app.pages}/sign-in`)
        await signIn(one, email)
        await home(one)
      }
      await page.goto(`${app.pages}/account/sessions`)
      const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
      expect(await rows.count()).toBe(3)
      expect(await rows.filter({ hasText: 'This device' }).count()).toBe(1)

      await button(page, 'Sign out').first().click()
      await page.getByText('The device is signed out.').waitFor()
      expect(await rows.count()).toBe(2)
      await button(page, 'Sign out all other devices').click()
      await page.getByText('All other devices are signed out.').waitFor()
      expect(await rows.count()).toBe(1)
      for (const one of [other, third]) {
        await one.goto(`${app.pages}/account`)
        await heading(one, 'Sign in to Acme')
      }
    })

    it('export and delete the account', async () => {
      const { page, email } = await signedIn()
      await page.goto(`${app.pages}/account/data`)
      for (let times = 0; times < 2; times++) {
        const file = await downloaded(page, () => button(page, 'Download').click())
        expect(JSON.parse(file).user.email).toBe(email)
      }

      await page.getByLabel('Password').fill('wrong horse')
      await button(page, 'Delete account').click()
      await page.getByText('This is not your current password.').waitFor()
      const password = page.getByLabel('Password')
      expect(await password.getAttribute('aria-invalid')).toBe('true')
      await password.fill(testPassword)
      await button(page, 'Delete account').click()
      await heading(page, 'Your account was deleted')
      await page.goto(`${app.pages}/account`)
      await heading(page, 'Sign in to Acme')
      await signIn(page, email)
      await page.getByRole('alert').getByText('These details are wrong').waitFor()
    })
  },
)
