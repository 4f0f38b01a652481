import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeInBrowser } from '../../../../test/support/browser.ts'
import { type MailboxServer, startMailboxServer } from '../../../../test/support/mailbox-server.ts'

let server: MailboxServer
beforeEach(async () => {
  server = await startMailboxServer()
})
afterEach(() => server.close())

/** The target of links in mails: it responds with the requested path. */
let application: Server
let applicationUrl: string
beforeAll(async () => {
  application = createServer(({ url }, response) => response.end(`opened ${url}`))
  application.listen(0, '127.0.0.1')
  await once(application, 'listening')
  applicationUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}`
})
afterAll(() => application.close())

const mailWithLink = () => {
  const link = `${applicationUrl}/verify?token=0a1b&type=recovery`
  return {
    html: `<a href="${link.replaceAll('&', '&amp;')}">Reset it</a>`,
    text: `Reset it: ${link}\nOr enter 483920.`,
  }
}

describeInBrowser('the development mailbox', ({ open }) => {
  /** Errors in the console of the page. */
  const complaints: string[] = []
  afterEach(() => expect(complaints.splice(0)).toEqual([]))

  async function enter(options?: BrowserContextOptions): Promise<Page> {
    const page = await open({ permissions: ['clipboard-read', 'clipboard-write'], ...options })
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
    await page.goto(`${server.url}?token=${server.token}`)
    await page.getByText('Live', { exact: true }).waitFor()
    return page
  }
  const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

  it('shows a new message; its code is copied and its link opens, each by one click', async () => {
    const page = await enter()
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor()
    await server.mail(mailWithLink())

    const article = page.getByRole('article', { name: 'Reset your password' })
    await article.getByRole('button', { name: 'Copy code 4 8 3 9 2 0' }).click()
    await page.getByText('Copied', { exact: true }).waitFor({ state: 'attached' })
    expect(await clipboard(page)).toBe('483920')
    await article.getByRole('button', { name: 'Copy link' }).click()
    await expect
      .poll(() => clipboard(page))
      .toBe(`${applicationUrl}/verify?token=0a1b&type=recovery`)

    const opened = page.waitForEvent('popup')
    await article.getByRole('link', { name: 'Open link' }).click()
    expect(await (await opened).textContent('body')).toBe('opened /verify?token=0a1b&type=recovery')
    expect(await (await opened).evaluate('[document.referrer, String(window.opener)]')).toEqual([
      '',
      'null',
    ])
  })

  it('shows the mail as its recipient sees it: links open windows, scripts do not run', async () => {
    const { html } = mailWithLink()
    await server.mail({ html: `${html}<script>document.body.textContent = 'ran'</script>` })
    const page = await enter()
    // The browser reports that it blocked the script.
    await expect.poll(() => complaints.splice(0).join()).toMatch(/script/)
    const link = page.frameLocator('iframe').getByRole('link', { name: 'Reset it' })

    const opened = page.waitForEvent('popup')
    await link.click()
    expect(await (await opened).textContent('body')).toContain('opened /verify')
  })

  it('leaves the token neither in the address nor to scripts', async () => {
    const page = await enter()
    expect(page.url()).toBe(server.url)
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('continues after its connection ended, and misses no message', async () => {
    const page = await enter()
    server.mailbox.close()
    await server.sms()
    await page.getByRole('button', { name: 'Copy code 0 0 7 3 1 4' }).first().waitFor()
    await page.getByText('New message for +4915550100: SMS').waitFor({ state: 'attached' })
  })

  it('is usable by keyboard only, and keeps the focus when messages are received', async () => {
    await server.sms()
    const page = await enter()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("href")')
    const first = await focused()
    await server.mail(mailWithLink())
    await page.getByRole('link', { name: 'Reset your password' }).waitFor()

    expect(await focused()).toBe(first)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Text message' }).waitFor()
    await page.getByText('Your code is 007314').last().waitFor()
  })

  it.each([320, 375])('fits a window of %i pixels: the list, then the message', async (width) => {
    await server.mail({
      ...mailWithLink(),
      to: `${'long'.repeat(20)}@example.test`,
      subject: 'long'.repeat(30),
    })
    const page = await enter({ viewport: { width, height: 700 } })
    const overflow = () =>
      page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    expect(await page.getByRole('article').isVisible()).toBe(false)
    expect(await overflow()).toBe(0)

    await page.getByRole('link', { name: 'longlong' }).click()
    await page.getByRole('article').waitFor()
    expect(await page.getByRole('list').isVisible()).toBe(false)
    expect(await overflow()).toBe(0)
    await page.getByRole('link', { name: 'Plain text' }).click()
    await page.getByText('Or enter 483920.').waitFor()
    await page.getByRole('link', { name: 'All messages' }).click()
    await page.getByRole('list').waitFor()
  })

  it('rejects a page of another port, for which the browser sends the cookie', async () => {
    await server.mail()
    const page = await enter()
    await page.goto(applicationUrl)
    const url = JSON.stringify(server.url)

    const fetched = `fetch(${url}, { credentials: 'include' }).then(() => 'read', () => 'kept out')`
    expect(await page.evaluate(fetched)).toBe('kept out')
    const streamed = `new Promise((done) => {
      const events = new EventSource(${url} + '/events', { withCredentials: true })
      events.onopen = () => done('read')
      events.onerror = () => { events.close(); done('kept out') }
    })`
    expect(await page.evaluate(streamed)).toBe('kept out')
    await page.evaluate(`new Promise((done) => {
      const frame = document.body.appendChild(document.createElement('iframe'))
      frame.onload = done
      frame.src = ${url}
    })`)
    expect(page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/')
    expect(complaints.splice(0).length).toBeGreaterThan(0)
  })
})
