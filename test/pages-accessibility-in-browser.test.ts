import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { locationOf, oauthOf } from './support/oauth-clients.ts'
import { type PagesApp, startPagesApp } from './support/pages-app.ts'
import { requestMethods, type TestAuth, testPassword } from './support/test-auth.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let app: PagesApp

beforeAll(async () => {
  app = await startPagesApp({
    anonymousUsers: { enabled: true },
    oauthServer: { enabled: true, deviceFlow: { enabled: true } },
    usernames: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    providers: { github: { clientId: 'client', clientSecret: 'secret' } },
    security: { manualLinkingEnabled: true },
    passwords: { requiredCharacters: ['0123456789'] },
    mfa: {
      phone: { enrollEnabled: true, verifyEnabled: true },
      trustedDevices: { enabled: true },
    },
  })
})
afterAll(() => app?.close())

const publicPages = [
  '/sign-in',
  '/sign-in?with=code',
  '/sign-up',
  '/forgot-password',
  '/signed-out',
  '/error?error_code=otp_expired',
]
const accountPages = [
  '/account',
  '/account/security',
  '/account/sessions',
  '/account/identities',
  '/account/applications',
  '/device',
  '/account/data',
  '/new-password',
]
const widths = [375, 1280]
const colorSchemes = ['light', 'dark'] as const

describeInBrowser('the pages', ({ open }) => {
  const window = () => open({ ignoreHTTPSErrors: true, bypassCSP: true, locale: 'en-GB' })

  async function signedIn(): Promise<Page> {
    const { email } = await app.auth.given.user()
    const page = await window()
    await page.goto(`${app.pages}/sign-in`)
    await page.locator('[name=identifier]').fill(email ?? '')
    await page.locator('input[type=password]').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${app.url}/`)
    return page
  }

  /** Returns the violations of WCAG 2.2 A and AA, and pages that are wider than their window. */
  async function violationsOf(page: Page, paths: readonly string[]): Promise<string[]> {
    const found: string[] = []
    for (const path of paths) {
      await page.goto(`${app.pages}${path}`)
      found.push(...(await violationsIn(page, path)))
    }
    return found
  }

  async function violationsIn(page: Page, name: string): Promise<string[]> {
    const found: string[] = []
    await page.evaluate(axe)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of colorSchemes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const at = `${name} ${width} ${colorScheme}`
        const { tooWide, violations } = await page.evaluate(examine)
        if (tooWide > 0) found.push(`${at}: ${tooWide} pixels too wide`)
        found.push(...violations.map((one) => `${at}: ${one}`))
      }
    }
    const levels = await page.locator('h1').count()
    if (levels !== 1) found.push(`${name}: ${levels} headings of the first level`)
    return found
  }

  it('of visitors meet WCAG 2.2 A and AA', { timeout: 300_000 }, async () => {
    expect(await violationsOf(await window(), publicPages)).toEqual([])
  })

  it('of the account meet WCAG 2.2 A and AA', { timeout: 300_000 }, async () => {
    const page = await signedIn()
    expect(await violationsOf(page, accountPages)).toEqual([])
    await page.goto(`${app.pages}/account/security`)
    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    expect(await violationsIn(page, 'enrollment')).toEqual([])
  })

  it('of consent meets WCAG 2.2 A and AA', { timeout: 300_000 }, async () => {
    const page = await signedIn()
    const request: TestAuth['request'] = (method, path, options) =>
      app.auth.request(method, `/auth${path}`, options)
    const oauth = oauthOf({ ...requestMethods(request), given: app.auth.given })
    const begun = await oauth.authorize(await oauth.client(), { scope: 'email profile' })
    await page.goto(locationOf(begun).href)
    await page.getByRole('button', { name: 'Allow' }).waitFor()

    expect(await violationsIn(page, 'consent')).toEqual([])
  })

  it('with errors meet WCAG 2.2 A and AA, and have the focus on the first one', {
    timeout: 300_000,
  }, async () => {
    const page = await window()
    await page.goto(`${app.pages}/sign-up`)
    await page.getByLabel('Email').fill('ada@example.test')
    await page.locator('input[type=password]').fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.locator('.error').first().waitFor()

    expect(await violationsIn(page, 'rejected sign-up')).toEqual([])
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password')
    const described = await page.locator('[name=password]').getAttribute('aria-describedby')
    expect(described?.split(' ')).toContain('sign-up-password-error')
  })

  it('can be used with the keyboard alone', { timeout: 120_000 }, async () => {
    const { email } = await app.auth.given.user()
    const page = await window()
    await page.goto(`${app.pages}/sign-in`)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
      'identifier',
    )
    await page.keyboard.type(email ?? '')
    const tabTo = async (selector: string) => {
      for (let count = 0; count < 30; count++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate((one) => document.activeElement?.matches(one) ?? false, selector))
          return
      }
      throw new Error(`the keyboard does not reach ${selector}`)
    }
    await tabTo('input[type=password]')
    await page.keyboard.type(testPassword)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app.url}/`)

    await page.goto(`${app.pages}/account/sessions`)
    await tabTo('nav a[href*="/account/data"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Your data' }).waitFor()
  })

  it('fit into both directions of text', { timeout: 300_000 }, async () => {
    const page = await window()
    await page.setViewportSize({ width: 375, height: 800 })
    await page.goto(`${app.pages}/sign-up`)
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    expect((await page.evaluate(examine)).tooWide).toBe(0)
    const folder = process.env['PAGES_SCREENSHOTS']
    if (folder) await takeScreenshots(page, await signedIn(), folder)
  })

  /** For the documentation, and for people who look at the pages. */
  async function takeScreenshots(visitor: Page, user: Page, folder: string) {
    for (const [page, paths] of [
      [visitor, publicPages],
      [user, accountPages],
    ] as const) {
      for (const colorScheme of colorSchemes) {
        for (const width of widths) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 800 })
          for (const path of paths) {
            await page.goto(`${app.pages}${path}`)
            const name = path.replace(/\W+/g, '-').slice(1)
            await page.screenshot({
              path: `${folder}/${name}-${width}-${colorScheme}.png`,
              fullPage: true,
            })
          }
        }
      }
    }
  }
})

// The page's own types differ from the test's.
declare const document: {
  activeElement: {
    getAttribute(name: string): string | null
    matches(selector: string): boolean
  } | null
  documentElement: {
    scrollWidth: number
    clientWidth: number
    setAttribute(name: string, value: string): void
  }
}
declare const window: {
  axe?: {
    run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
  }
}

/** Runs in the page. */
async function examine(): Promise<{ tooWide: number; violations: string[] }> {
  const { scrollWidth, clientWidth } = document.documentElement
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  const result = await window.axe?.run({ runOnly: { type: 'tag', values: tags } })
  return {
    tooWide: Math.max(0, scrollWidth - clientWidth),
    violations: (result?.violations ?? []).map(
      ({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html.slice(0, 120)).join(', ')}`,
    ),
  }
}
