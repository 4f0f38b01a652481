import { afterEach, beforeEach, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'

let auth: MessagingAuth

beforeEach(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    email: { maxFrequencySeconds: 60 },
    passkeys: { enabled: true },
    pages: { enabled: true },
    rateLimits: { passkey: 1, header: 'x-client' },
  })
})
afterEach(() => auth.close())

/** More than the burst of any limit per client. */
const beyondBurst = 40

const client = { 'x-client': '198.51.100.7' }

it('a form within the interval of messages is shown with the time to wait', async () => {
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  await browser.submit('/forgot-password', 'send', { email: email ?? '' })
  const answer = await browser.submit('/forgot-password', 'send', { email: email ?? '' })

  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBe('60')
  expect(answer.text).toContain('You can request another message in 60\u00a0seconds.')
})

it('a script over the limit gets the text of the error as JSON', async () => {
  const browser = openBrowser(auth)
  const answers = []
  for (let count = 0; count < beyondBurst; count += 1)
    answers.push(await browser.submit('/sign-in', 'passkey-options', {}, client))
  const limited = answers.find(({ status }) => status === 429)

  expect(answers[0]?.status).toBe(200)
  expect(JSON.parse(limited?.text ?? '').error).toContain('Too many attempts.')
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('a form over the limit leads back to its page', async () => {
  const browser = openBrowser(auth)
  const answers = []
  for (let count = 0; count < beyondBurst; count += 1)
    answers.push(
      await browser.submit('/sign-in?redirect_to=%2Fa', 'password', { identifier: 'x' }, client),
    )
  const limited = answers.find(({ status }) => status === 429)

  expect(limited?.text).toMatch(/href="\?redirect_to=%2Fa"[^>]*>Try again</)
})
