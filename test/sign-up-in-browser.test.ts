import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { startClientApp } from './support/client-app.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type DevProcess, startDev } from './support/dev-process.ts'
import { freePort } from './support/server-process.ts'
import type { WebServer } from './support/web-server.ts'

let database: TestDatabase
let application: WebServer
let service: DevProcess | undefined

beforeAll(async () => {
  database = await createTestDatabase()
  application = await startClientApp(() => service?.url ?? '')
})
afterEach(() => service?.stop())
afterAll(async () => {
  await application?.close()
  await database?.drop()
})

async function start(confirm: 'none' | 'button'): Promise<void> {
  service = await startDev({
    env: {
      DATABASE_URL: database.url,
      PORT: String(await freePort()),
      AUTH_SITE_URL: application.url,
      AUTH_LINKS_CONFIRM: confirm,
    },
  })
}

describeInBrowser('signing up with the real client, in one browser', ({ open }) => {
  /** Errors in any window, as its console reports them. */
  const complaints: string[] = []
  afterEach(() => expect(complaints.splice(0)).toEqual([]))

  function listenTo(page: Page): void {
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
  }

  it.each([
    { flow: 'implicit', confirm: 'none' },
    { flow: 'pkce', confirm: 'none' },
    { flow: 'implicit', confirm: 'button' },
    { flow: 'pkce', confirm: 'button' },
  ] as const)(
    'ends signed in, by the link in the development mailbox ($flow, $confirm)',
    { timeout: 90_000 },
    async ({ flow, confirm }) => {
      await start(confirm)
      const email = `${flow}.${confirm}@example.test`
      const page = await open({ locale: 'en-GB' })
      listenTo(page)
      await page.goto(`${application.url}/?flow=${flow}`)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill('correct horse')
      await page.getByRole('button', { name: 'Sign up' }).click()
      await page.getByText('Look into your mailbox').waitFor()

      const mailbox = await page.context().newPage()
      listenTo(mailbox)
      await mailbox.goto(service?.mailboxUrl ?? '')
      const message = mailbox.getByRole('article', { name: 'Confirm your email address' })
      const opened = page.context().waitForEvent('page')
      await message.getByRole('link', { name: 'Open link' }).click()
      const linkPage = await opened
      listenTo(linkPage)
      if (confirm === 'button') {
        await linkPage.getByRole('button', { name: 'Confirm email address' }).click()
      }

      await linkPage.getByText(`${email} is signed in`).waitFor()
      expect(new URL(linkPage.url()).origin).toBe(application.url)
      await linkPage.reload()
      await linkPage.getByText(`${email} is signed in`).waitFor()
      // The window of the request shares the session.
      await page.reload()
      await page.getByText(`${email} is signed in`).waitFor()
    },
  )
})
