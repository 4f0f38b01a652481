import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { startBrowser, startTimeoutMs } from './start-browser.ts'

/** The parameters of a suite in a browser. */
export interface BrowserSuite {
  /**
   * Opens a new window without cookies, which is closed after the test. Default: 1280 by 800,
   * light.
   */
  open(options?: BrowserContextOptions): Promise<Page>
}

/**
 * Declares a suite of tests in Chromium: the binary in `CHROMIUM`, else `chromium` on the PATH,
 * else the one from npm. If none starts, the tests are skipped with a message; with `CI=true` they
 * fail.
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
