import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'

let auth: MessagingAuth
beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    anonymousUsers: { enabled: true },
    pages: { enabled: true, name: 'Acme' },
  })
})
afterAll(() => auth?.close())

it('a guest can open the sign-up', async () => {
  const browser = openBrowser(auth)
  const entered = await browser.submit('/sign-in', 'anonymous', {})
  const { status, text } = await browser.get('/sign-up')

  expect(entered.status).toBe(303)
  expect((await browser.get('/account')).status).toBe(200)
  expect(status).toBe(200)
  expect(text).toContain('name="password"')
})
