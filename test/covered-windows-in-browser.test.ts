import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { consentPath, type PagesApp, startPagesApp } from './support/pages-app.ts'
import { testPassword } from './support/test-auth.ts'

let app: PagesApp

beforeAll(async () => {
  app = await startPagesApp({ oauthServer: { enabled: true } })
})
afterAll(() => app?.close())

// Without a screen each page has the focus, so that of the page is replaced.
const covered = 'document.hasFocus = () => false'
const uncover = `document.hasFocus = () => true; dispatchEvent(new Event('focus'))`
const cover = `document.hasFocus = () => false; dispatchEvent(new Event('blur'))`

describeInBrowser('S143: a page below a window of another site', ({ open }) => {
  /** Opens a filled form. Returns the place of its button, and the error of its response. */
  async function openForm({ isCovered }: { isCovered: boolean }) {
    const page = await open({ ignoreHTTPSErrors: true })
    if (isCovered) await page.addInitScript(covered)
    await page.goto(`${app.pages}/sign-in`)
    await page.locator('[name=identifier]').fill('ada@example.test')
    await page.locator('input[type=password]').fill('another password')
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    const box = await button.boundingBox()
    const place = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5] as const
    return { page, button, place, rejected: page.locator('.notice.error') }
  }

  it.each(['gets the focus', 'gets no focus'])(
    'ignores the second click of a double click whose first one closed the window: it %s',
    async (name) => {
      const { page, button, place, rejected } = await openForm({ isCovered: true })

      if (name === 'gets the focus') await page.evaluate(uncover)
      await page.mouse.click(...place)
      await page.waitForTimeout(700)

      expect(await rejected.count()).toBe(0)
      await button.click()
      await rejected.waitFor()
    },
  )

  it('ignores it in a page that was open before', async () => {
    const { page, place, rejected } = await openForm({ isCovered: false })
    await page.mouse.move(...place)

    await page.evaluate(cover)
    await page.evaluate(uncover)
    await page.mouse.click(...place)
    await page.waitForTimeout(700)

    expect(await rejected.count()).toBe(0)
  })

  it('accepts the click of a pointer that entered before, which gives the focus', async () => {
    const { page, place, rejected } = await openForm({ isCovered: true })

    await page.mouse.move(...place)
    await page.waitForTimeout(700)
    await page.evaluate(uncover)
    await page.mouse.click(...place)

    await rejected.waitFor()
  })

  it('accepts the Enter key', async () => {
    const { page, rejected } = await openForm({ isCovered: true })

    await page.evaluate(uncover)
    await page.locator('input[type=password]').press('Enter')

    await rejected.waitFor()
  })

  it('ignores the second click of a double click whose first one led to the consent', async () => {
    const { email } = await app.auth.given.user()
    const page = await open({ ignoreHTTPSErrors: true })
    await page.goto(`${app.pages}/sign-in`)
    await page.locator('[name=identifier]').fill(email ?? '')
    await page.locator('input[type=password]').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${app.url}/`)
    const submissions: string[] = []
    page.on('request', (one) => one.method() === 'POST' && submissions.push(one.url()))
    await page.addInitScript(
      `addEventListener('DOMContentLoaded', () => document.querySelector('[data-pause] button')?.click())`,
    )

    await page.goto(`${app.pages}${await consentPath(app)}`)
    await page.waitForTimeout(700)

    expect(submissions).toEqual([])
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect.poll(() => submissions).toHaveLength(1)
  })
})

describeInBrowser('a form', ({ open }) => {
  it('is submitted once, and again where the page stays', async () => {
    const page = await open({ ignoreHTTPSErrors: true })
    await page.clock.install()
    const submissions: string[] = []
    await page.route('**/sign-in*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      submissions.push(route.request().url())
      return route.fulfill({ status: 204 })
    })
    await page.goto(`${app.pages}/sign-in`)
    await page.locator('[name=identifier]').fill('ada@example.test')
    const press = () => page.locator('input[type=password]').press('Enter')
    await page.locator('input[type=password]').fill('another password')
    await press()
    await press()
    await expect.poll(() => submissions).toHaveLength(1)
    await page.clock.fastForward(10_000)
    await press()

    await expect.poll(() => submissions).toHaveLength(2)
  })
})
