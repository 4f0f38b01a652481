import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { overflowsIn, unreachedIn, unsubmittedIn, violationsIn } from './support/page-checks.ts'
import { consentPath, type PagesApp, startPagesApp } from './support/pages-app.ts'
import { secondFactors } from './support/second-factors.ts'
import { testPassword } from './support/test-auth.ts'

let app: PagesApp

beforeAll(async () => {
  app = await startPagesApp({
    development: true,
    anonymousUsers: { enabled: true },
    oauthServer: { enabled: true, deviceFlow: { enabled: true } },
    usernames: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    providers: { github: { clientId: 'client', clientSecret: 'secret' } },
    security: { manualLinkingEnabled: true },
    links: { confirm: 'button' },
    passwords: { requiredCharacters: ['0123456789'] },
    mfa: {
      phone: { enrollEnabled: true, verifyEnabled: true },
      trustedDevices: { enabled: true },
    },
    pages: { texts: { ar: arabic } },
  })
})
afterAll(() => app?.close())

/** Texts of an application in a language that is written from right to left. */
const arabic = {
  'signIn.heading': 'تسجيل الدخول إلى {site}',
  'signIn.submit': 'تسجيل الدخول',
  'signIn.forgotPassword': 'هل نسيت كلمة المرور؟',
  'signIn.noAccount': 'ليس لديك حساب بعد؟',
  'signIn.toSignUp': 'إنشاء حساب',
  'signIn.withProvider': 'المتابعة باستخدام {provider}',
  'signUp.heading': 'إنشاء حساب {site} الخاص بك',
  'signUp.submit': 'إنشاء الحساب',
  'field.email': 'البريد الإلكتروني',
  'field.password': 'كلمة المرور',
  'field.newPassword': 'كلمة المرور الجديدة',
  'field.show': 'إظهار',
  'nav.profile': 'الملف الشخصي',
  'nav.security': 'الأمان',
  'nav.sessions': 'الجلسات',
  'nav.data': 'بياناتك',
  'account.heading': 'حسابك',
  'account.save': 'حفظ',
  'sessions.heading': 'الجلسات',
  'sessions.current': 'هذا الجهاز',
}

const publicPages = [
  '/sign-in',
  '/sign-in?with=code',
  '/sign-up',
  '/sign-up?with=phone',
  '/forgot-password',
  '/confirm?token=abc&type=email_change',
  '/verify?token=abc&type=signup',
  '/sign-in/complete',
  '/signed-out',
  '/error?error_code=otp_expired',
  '/_latchkey/components',
]
const accountPages = [
  '/account',
  '/account/security',
  '/account/sessions',
  '/account/identities',
  '/account/applications',
  '/device',
  '/account/data',
  '/account/data?with=code',
  '/new-password',
]

describeInBrowser('the pages', ({ open }) => {
  const window = () => open({ ignoreHTTPSErrors: true, bypassCSP: true, locale: 'en-GB' })

  async function submitSignIn(page: Page, email: string): Promise<void> {
    await page.goto(`${app.pages}/sign-in`)
    await page.locator('[name=identifier]').fill(email)
    await page.locator('input[type=password]').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  async function signedIn(given?: string): Promise<Page> {
    const email = given ?? (await app.auth.given.user()).email
    const page = await window()
    await submitSignIn(page, email ?? '')
    await page.waitForURL(`${app.url}/`)
    return page
  }

  /** Returns the findings of a check on each page. */
  async function findingsOn(
    page: Page,
    paths: readonly string[],
    check: (page: Page, path: string) => Promise<string[]>,
  ): Promise<string[]> {
    const found: string[] = []
    for (const path of paths) {
      await page.goto(`${app.pages}${path}`)
      found.push(...(await check(page, path)))
    }
    return found
  }
  const violationsOf = (page: Page, paths: readonly string[]) =>
    findingsOn(page, paths, violationsIn)

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

  /** Enrolls an app and creates recovery codes. Returns what exceeds narrow windows on the way. */
  async function findingsOfEnrollment(page: Page, language: string): Promise<string[]> {
    const press = (action: string) => page.locator(`form[action$="do=${action}"] button`).click()
    await page.goto(`${app.pages}/account/security`)
    await press('totp')
    const secret = (await page.locator('.secret').innerText()).replaceAll(' ', '')
    const found = await overflowsIn(page, `${language} enrollment`, [320, 390])
    await page.locator('[name=code]').fill(secondFactors(app.auth).codeOf({ secret }))
    await press('totp-verify')
    await press('codes')
    await page.locator('.codes').waitFor()
    return [...found, ...(await overflowsIn(page, `${language} recovery codes`, [320, 390]))]
  }

  it('of a second factor meet WCAG 2.2 A and AA', { timeout: 300_000 }, async () => {
    const { email } = await app.auth.given.user()
    const page = await signedIn(email ?? '')
    const found: string[] = []
    const examine = async (name: string) => void found.push(...(await violationsIn(page, name)))
    await findingsOfEnrollment(page, 'en')
    await examine('recovery codes')
    await page.goto(`${app.pages}/account/security`)
    await page.getByText(/^Unused codes:/).waitFor()
    await examine('security with a factor')
    await page.context().clearCookies()
    await submitSignIn(page, email ?? '')
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await examine('second factor')
    await page.getByRole('link', { name: 'Recovery codes' }).click()
    await page.getByLabel('Code').fill('0000-0000-0000')
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.locator('.error').first().waitFor()
    await examine('rejected recovery code')

    expect(found).toEqual([])
  })

  it('of consent meets WCAG 2.2 A and AA', { timeout: 300_000 }, async () => {
    const page = await signedIn()
    await page.goto(`${app.pages}${await consentPath(app)}`)
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

  it('have controls that the keyboard reaches, with a visible focus, and forms that Enter submits', {
    timeout: 300_000,
  }, async () => {
    const visitor = await window()
    const user = await signedIn()
    const check = async (page: Page, path: string) => [
      ...(await unreachedIn(page, path)),
      ...(await unsubmittedIn(page, path)),
    ]
    expect([
      ...(await findingsOn(visitor, publicPages, check)),
      ...(await findingsOn(user, [...accountPages, await consentPath(app)], check)),
    ]).toEqual([])
  })

  it.each([
    ['en', 'ltr'],
    ['de', 'ltr'],
    ['fr', 'ltr'],
    ['ar', 'rtl'],
  ])(
    'fit into windows of 320 and 390 pixels in %s',
    { timeout: 300_000 },
    async (language, direction) => {
      const visitor = await window()
      const user = await signedIn()
      for (const page of [visitor, user])
        await page.goto(`${app.pages}/signed-out?lang=${language}`)
      const check = (page: Page, path: string) =>
        overflowsIn(page, `${language} ${path}`, [320, 390])
      expect([
        ...(await findingsOn(visitor, publicPages, check)),
        ...(await findingsOn(user, [...accountPages, await consentPath(app)], check)),
        ...(await findingsOfEnrollment(user, language)),
      ]).toEqual([])
      const html = user.locator('html')
      expect([await html.getAttribute('lang'), await html.getAttribute('dir')]).toEqual([
        language,
        direction,
      ])
    },
  )

  it('of an added language meet WCAG 2.2 A and AA, and are mirrored', {
    timeout: 300_000,
  }, async () => {
    const page = await window()
    await page.goto(`${app.pages}/sign-in?lang=ar`)
    const boxOf = async (selector: string) => {
      const { x = 0, width = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
      return { left: x, right: x + width }
    }
    const [label, link] = [await boxOf('.label:has(a) label'), await boxOf('.label a')]

    expect(link.right).toBeLessThan(label.left)
    expect((await boxOf('.reveal')).right).toBeLessThan(label.left)
    expect(await violationsIn(page, 'ar')).toEqual([])
  })

  it('can be photographed for the documentation', async ({ skip }) => {
    const folder = process.env['PAGES_SCREENSHOTS']
    skip(folder === undefined, 'PAGES_SCREENSHOTS names no folder')
    await takeScreenshots(await window(), await signedIn(), folder ?? '')
  })

  /** For the documentation, and for people who look at the pages. */
  async function takeScreenshots(visitor: Page, user: Page, folder: string) {
    for (const [page, paths] of [
      [visitor, publicPages],
      [user, accountPages],
    ] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [375, 1280]) {
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
}
