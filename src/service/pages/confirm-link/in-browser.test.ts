import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../../../../test/support/browser.ts'
import { type ServedCommand, serve } from '../../../../test/support/serve.ts'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../../test/support/test-auth.ts'
import { answering, startWebServer, type WebServer } from '../../../../test/support/web-server.ts'
import { toNode } from '../../../hosts/adapters/node.ts'

/** An application on its own origin, which redirects to another one. */
let application: WebServer
let elsewhere: WebServer
let auth: TestAuth
let service: ServedCommand
beforeAll(async () => {
  elsewhere = await startWebServer(answering(200, { 'content-type': 'text/html' }, 'arrived'))
  application = await startWebServer(answering(302, { location: `${elsewhere.url}/inside` }))
  const confirm = 'button'
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    siteUrl: application.url,
    links: { confirm },
  })
  service = await serve(toNode(auth.auth))
})
afterAll(async () => {
  await service?.close()
  await auth?.close()
  await Promise.all([application?.close(), elsewhere?.close()])
})

async function newLink(email: string): Promise<string> {
  const token = await auth.given.serviceToken()
  const body = { type: 'signup', email, password: 'correct horse' }
  const { body: made } = await auth.post('/admin/generate_link', body, { token })
  return `${service.url}/verify${new URL(made.action_link).search}`
}

describeInBrowser('the page of a link', ({ open }) => {
  /** Errors in the console of the page. */
  const complaints: string[] = []
  afterEach(() => expect(complaints.splice(0)).toEqual([]))

  async function enter(link: string, options?: BrowserContextOptions): Promise<Page> {
    const page = await open(options)
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(link)
    return page
  }
  const button = (page: Page) => page.getByRole('button', { name: 'Confirm email address' })

  it.each([true, false])(
    'leads to the application, and to its redirect target (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const link = await newLink(`ada-${javaScriptEnabled}@example.test`)
      const page = await enter(link, { javaScriptEnabled })
      await page.reload()
      await button(page).click()

      await page.getByText('arrived').waitFor()
      expect(page.url()).toContain(`${elsewhere.url}/inside#access_token=`)
      expect(application.heard.at(-1)?.headers.referer).toBeUndefined()
    },
  )

  it('accepts a double click, the second during the first submission', async () => {
    const page = await enter(await newLink('hasty@example.test'))
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    await page.route(`${service.url}/verify?`, async (route) => {
      await sleep(500)
      await route.continue()
    })
    const { x = 0, y = 0 } = (await button(page).boundingBox()) ?? {}
    await page.mouse.click(x + 9, y + 9)
    await sleep(150)
    await page.mouse.click(x + 9, y + 9)

    await page.getByText('arrived').waitFor()
    expect(page.url()).toContain('#access_token=')
    expect(sent.filter((method) => method === 'POST')).toHaveLength(1)
  })

  it.each([320, 375])('fits a window of %i pixels, by keyboard too', async (width) => {
    const locale = 'de-DE'
    const page = await enter(`${service.url}/verify?type=signup&token=x`, {
      viewport: { width, height: 700 },
      locale,
    })
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - window.innerWidth',
    )
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>('document.activeElement.textContent')

    expect(overflow).toBe(0)
    expect(focused).toBe('E-Mail-Adresse bestätigen')
  })
})
