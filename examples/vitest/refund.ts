// Tests of an application with Vitest. Save it as `refund.test.ts`, and run `npx vitest run`.
import { createTestAuth, type TestAuth } from 'latchkey/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

let test: TestAuth
beforeAll(async () => {
  // Without a URL the database is an embedded one in memory.
  test = await createTestAuth({ database: process.env.TEST_DATABASE_URL })
}, 60_000) // On a busy machine the first start exceeds the default of Vitest, 10 seconds.
beforeEach(() => test.reset())
afterAll(() => test?.close())

it('requires the second factor before a refund', async () => {
  const weak = await test.signedIn()
  const strong = await test.signedIn({ aal: 2, appMetadata: { plan: 'pro' } })

  await expect(test.auth.requireUser(weak, { aal: 2 })).rejects.toThrow()
  const { user } = await test.auth.requireUser(strong, { aal: 2 })

  expect(user.appMetadata).toMatchObject({ plan: 'pro' })
})

it('signs in by a mailed link', async () => {
  await test.signedIn({ email: 'ada@example.test' })
  await test.auth.api.signInWithOtp({ email: 'ada@example.test' })
  const [mail] = await test.mails()

  expect(mail).toMatchObject({ to: 'ada@example.test', kind: 'magicLink' })
  const opened = await test.auth.fetch(new Request(mail?.link ?? ''))
  expect(opened.headers.get('location')).toContain('#access_token=')
})

it('signs up by a mailed link', async () => {
  await test.auth.api.signInWithOtp({ email: 'bea@example.test' })
  const [mail] = await test.mails()

  expect(mail).toMatchObject({ to: 'bea@example.test', kind: 'confirmation' })
})

it('rejects an access token after an hour', async () => {
  const { headers } = await test.signedIn()
  test.clock.advance('61m')

  await expect(test.auth.requireUser({ headers })).rejects.toMatchObject({ code: 'bad_jwt' })
})
