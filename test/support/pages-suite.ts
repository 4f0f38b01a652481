import type { Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { testPassword } from './test-auth.ts'

/** The operations of a suite that uses the pages in windows of a browser. */
export interface PagesSuite {
  /** Whether scripts run. */
  hasScripts: boolean
  /** Opens a window of a new browser. Errors in its console fail the test. */
  window(): Promise<Page>
  button(page: Page, name: string): ReturnType<Page['getByRole']>
  /** Waits for the page with this heading. */
  heading(page: Page, name: string): Promise<void>
  typePassword(page: Page, password: string): Promise<void>
  /** Submits the form of the sign-in page. */
  signIn(page: Page, email: string, password?: string): Promise<void>
  /** Returns the name of the user that the application shows. */
  signedInUser(page: Page): Promise<string | null>
}

/** Declares the same suite with and without JavaScript. */
export function describePages(name: string, body: (suite: PagesSuite) => void): void {
  for (const hasScripts of [true, false]) {
    describeInBrowser(`${name}, ${hasScripts ? 'with' : 'without'} JavaScript`, ({ open }) => {
      /** Errors in any window, as its console reports them. */
      const complaints: string[] = []
      afterEach(() => expect(complaints.splice(0)).toEqual([]))

      const button: PagesSuite['button'] = (page, label) =>
        page.getByRole('button', { name: label, exact: true })
      const typePassword: PagesSuite['typePassword'] = (page, password) =>
        page.locator('input[type=password]').fill(password)
      body({
        hasScripts,
        window: async () => {
          const page = await open({
            ignoreHTTPSErrors: true,
            javaScriptEnabled: hasScripts,
            locale: 'en-GB',
          })
          page.on('pageerror', ({ message }) => complaints.push(message))
          page.on('console', (message) => {
            // The console names each response with an error status.
            if (message.type() === 'error' && !/status of 4/.test(message.text())) {
              complaints.push(message.text())
            }
          })
          return page
        },
        button,
        heading: (page, label) =>
          page.getByRole('heading', { level: 1, name: label, exact: true }).waitFor(),
        typePassword,
        signIn: async (page, email, password = testPassword) => {
          await page.locator('[name=identifier]').fill(email)
          await typePassword(page, password)
          await button(page, 'Sign in').click()
        },
        signedInUser: (page) => page.locator('#user').textContent(),
      })
    })
  }
}
