import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { startBrowser, startTimeoutMs } from './start-browser.ts'

/** What tests of a suite in a browser are given. */
export interface BrowserSuite {
  /** A new window without cookies, closed after the test. Default: 1280 by 800, light. */
  open(options?: BrowserContextOptions): Promise<Page>
}

/**
 * A suite of tests in real Chromium: the one that `CHROMIUM` names, else `chromium` on the PATH, else
 * the one that npm brought. Where none starts, its tests are skipped with one line that says so; with
 * `CI=true` they fail.
 */
export function describeInBrowser(name: string, body: (suite: BrowserSuite) => void): void {
  describe(name, () => {
    let browser: Browser | null = null
    const close: (() => Promise<void>)[] = []
    beforeAll(async () => {
      browser = await startBrowser(name)
    }, startTimeoutMs)
    beforeEach(({ skip }) => skip(browser === null, 'no browser starts here'))
    afterEach(async () => {
      for (const one of close.splice(0)) await one()
    })
    afterAll(() => browser?.close())

    body({
      open: async (options) => {
        if (!browser) throw new Error('there is no browser')
        const context = await browser.newContext({
          viewport: { width: 1280, height: 800 },
          ...options,
        })
        close.push(() => context.close())
        return context.newPage()
      },
    })
  })
}
