import { afterAll, beforeAll, expect, it } from 'vitest'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { SendEmailPayload } from '../../platform/config/sections/hooks.ts'

let auth: TestAuth
const received: SendEmailPayload[] = []

beforeAll(async () => {
  auth = await startTestAuth({
    email: {
      autoconfirm: true,
      notifications: { mfaFactorEnrolled: true, mfaFactorUnenrolled: true },
    },
    passkeys: { enabled: true },
    hooks: { sendEmail: (payload) => void received.push(payload as SendEmailPayload) },
  })
})
afterAll(() => auth.close())

it('mails about each passkey that its user adds or removes, and not about rejected requests', async () => {
  const passkeys = passkeysOf(auth)
  const { user, accessToken: token, id, authenticator } = await passkeys.holder()
  const { body: second } = await passkeys.register(token)
  const remove = (passkeyId: string) => auth.request('DELETE', `/passkeys/${passkeyId}`, { token })

  const known = await passkeys.register(token, authenticator)
  const removed = [await remove(id), await remove(id)]
  await passkeys.register(token, undefined, { userVerified: false })
  // No notice is sent for changes by operators, as for factors.
  await auth.auth.admin.deletePasskey(user.id, second.id)

  await (await auth.deps()).outbox.settled()
  expect(known.status).toBe(422)
  expect(removed.map(({ status }) => status)).toEqual([204, 404])
  const enrolled = [user.email, 'mfa_factor_enrolled_notification', 'webauthn']
  const notices = received.map(({ user: { email }, email_data: data }) => [
    email,
    data.email_action_type,
    data.factor_type,
  ])
  expect(notices).toHaveLength(3)
  expect(notices.filter(([, type]) => type === enrolled[1])).toEqual([enrolled, enrolled])
  expect(notices).toContainEqual([user.email, 'mfa_factor_unenrolled_notification', 'webauthn'])
})
