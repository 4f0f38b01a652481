import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { SendEmailPayload } from '../../platform/config/sections/hooks.ts'

let auth: TestAuth
let factors: SecondFactors
let received: SendEmailPayload[]

beforeAll(async () => {
  auth = await startTestAuth({
    email: {
      autoconfirm: true,
      notifications: { mfaFactorEnrolled: true, mfaFactorUnenrolled: true },
    },
    hooks: { sendEmail: (payload) => void received.push(payload as SendEmailPayload) },
  })
  factors = secondFactors(auth)
})
beforeEach(() => {
  received = []
})
afterAll(() => auth.close())

const notices = async () => {
  await (await auth.deps()).outbox.settled()
  return received.map(({ user, email_data: { email_action_type: type, factor_type: factor } }) => [
    user.email,
    type,
    factor,
  ])
}

it('mails when a factor is verified for the first time, and not again', async () => {
  const { user, accessToken, app } = await factors.aal2Session()
  await factors.prove(accessToken, app)

  expect(await notices()).toEqual([[user.email, 'mfa_factor_enrolled_notification', 'totp']])
})

it('mails when a user removes a factor, and not when an operator does', async () => {
  const { user, accessToken, app } = await factors.aal2Session()
  const other = await factors.enrolledApp(accessToken, 'other')
  await notices()
  received = []

  await factors.unenroll(accessToken, other.id)
  await auth.auth.admin.deleteFactor(user.id, app.id)

  expect(await notices()).toEqual([[user.email, 'mfa_factor_unenrolled_notification', 'totp']])
})
