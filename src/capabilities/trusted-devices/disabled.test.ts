import { afterAll, beforeAll, expect, it } from 'vitest'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

// Two instances use one database. Only the first enables trusted devices, as while a setting is
// being changed.

let enabled: TestAuth
let disabled: TestAuth

beforeAll(async () => {
  enabled = await startTestAuth({ mfa: { trustedDevices: { enabled: true } } })
  disabled = await startTestAuth({ database: { url: enabled.databaseUrl } })
})
afterAll(async () => {
  await disabled.close()
  await enabled.close()
})

it('ends the trust in devices with a password change while trusted devices are disabled', async () => {
  const factors = secondFactors(enabled)
  const { user, accessToken } = await factors.aal2Session()
  const device = await enabled.auth.api.trustDevice({ accessToken })
  const password = `${testPassword} 2`

  await disabled.auth.admin.updateUser(user.id, { password })

  const { session } = await enabled.auth.api.signInWithPassword({
    email: user.email ?? '',
    password,
  })
  const verified = enabled.auth.api.verifyTrustedDevice({
    accessToken: session.accessToken,
    secret: device.secret,
  })
  await expect(verified).rejects.toMatchObject({ code: 'trusted_device_not_found' })
})

it('rejects devices while disabled, and exports the trusted ones', async () => {
  const { user, accessToken } = await secondFactors(enabled).aal2Session()
  const { id } = await enabled.auth.api.trustDevice({ accessToken })

  const { trustedDevices } = await (await disabled.auth.admin.exportUser(user.id)).read()

  await expect(disabled.auth.api.listTrustedDevices({ accessToken })).rejects.toMatchObject({
    code: 'trusted_devices_disabled',
  })
  expect(trustedDevices).toMatchObject([{ id, userId: user.id }])
})
