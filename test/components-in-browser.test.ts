import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import {
  type ComponentsApp,
  frameworks,
  startComponentsApp,
} from './support/components/start-components-app.ts'
import { testPassword } from './support/test-auth.ts'

let app: ComponentsApp

beforeAll(async () => {
  app = await startComponentsApp()
})
afterAll(() => app?.close())

// The names that scripts of the page use. Types of the page differ from the test's own.
declare const client: import('@supabase/auth-js').GoTrueClient
declare const shown: string[]

describe.each(frameworks)('latchkey/%s', (name) => {
  describeInBrowser('in a browser', ({ open }) => {
    /** Errors and warnings of the page, such as those of a hydration mismatch. */
    const complaints: string[] = []
    afterEach(() => expect(complaints.splice(0)).toEqual([]))

    async function window(): Promise<Page> {
      const page = await open({ ignoreHTTPSErrors: true })
      page.on('pageerror', ({ message }) => complaints.push(message))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      return page
    }
    const texts = (page: Page) => page.evaluate(() => shown.map((text) => text.trim()))
    const user = (page: Page) => page.locator('#user')
    const signInLink = (page: Page) => page.getByRole('link', { name: 'Sign in' })
    /** Waits until the page follows its client. */
    const settled = async (page: Page) => {
      await page.waitForLoadState('networkidle')
      await page.evaluate(() => client.getSession())
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
    }
    const signIn = (page: Page, email: string) =>
      page.evaluate(
        async ([email, password]) =>
          (await client.signInWithPassword({ email, password })).error?.message ?? null,
        [email, testPassword] as const,
      )

    async function signedIn() {
      const { email: address } = await app.auth.given.user()
      const email = address ?? ''
      const page = await window()
      await page.goto(`${app.url}/${name}`)
      await settled(page)
      expect(await signIn(page, email)).toBeNull()
      await user(page).waitFor()
      return { page, email }
    }

    it('hydrates the page of a signed-in user without a change', async () => {
      const { page, email } = await signedIn()

      const response = await page.goto(`${app.url}/${name}`)
      await settled(page)

      expect(await response?.text()).toContain(`>${email}</b>`)
      expect(await texts(page)).toHaveLength(1)
      expect(await user(page).textContent()).toBe(email)
      expect(await page.locator('i').textContent()).toBe('has a token')
    })

    it('hydrates the page of a visitor without a change', async () => {
      const page = await window()

      const response = await page.goto(`${app.url}/${name}`)
      await settled(page)

      expect(await response?.text()).toContain('>Sign in</a>')
      expect(await texts(page)).toEqual(['Sign in'])
      expect(await signInLink(page).getAttribute('href')).toBe(
        `/auth/sign-in?redirect_to=${encodeURIComponent(`/${name}?from=link`)}`,
      )
    })

    it('follows a sign-out in the page, and one in another tab', async () => {
      const { page, email } = await signedIn()
      const tab = await page.context().newPage()
      await tab.goto(`${app.url}/${name}`)
      await settled(tab)
      expect(await user(tab).textContent()).toBe(email)

      await page.getByRole('button', { name: 'Sign out' }).click()

      await signInLink(page).waitFor()
      await signInLink(tab).waitFor()
    })

    it('shows neither content while the session of a plain client is unknown', async () => {
      const { email } = await app.auth.given.user()
      const page = await window()
      await page.goto(`${app.url}/${name}?plain`)
      await signInLink(page).waitFor()
      expect(await texts(page)).toEqual(['', 'Sign in'])
      expect(await signIn(page, email ?? '')).toBeNull()
      await user(page).waitFor()

      await page.reload()
      await user(page).waitFor()
      await settled(page)

      const all = await texts(page)
      expect(all[0]).toBe('')
      expect(all.filter((text) => text.includes('Sign in'))).toEqual([])
    })

    it('redirects a visitor of a guarded page to the sign-in page, and back', async () => {
      const { email } = await app.auth.given.user()
      const page = await window()

      await page.goto(`${app.url}/${name}/account?plan=gold`)

      expect(page.url()).toContain('/auth/sign-in?')
      await page.locator('[name=identifier]').fill(email ?? '')
      await page.locator('input[type=password]').fill(testPassword)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL(`${app.url}/${name}/account?plan=gold`)
      await settled(page)
      expect(await texts(page)).toHaveLength(1)
      expect(await user(page).textContent()).toBe(email)
    })
  })
})
