import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../test/support/test-auth.ts'
import type { AdminApi } from './admin-api.ts'
import type { AuthApi } from './auth-api.ts'
import type { CallOptions } from './call-options.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

/** A call of each method that takes options. */
type Calls<Api> = {
  [Method in keyof Api]: (api: Api, options: CallOptions) => Promise<unknown>
}

const email = 'nobody@example.test'
const password = 'correct horse'
const accessToken = 'x'
const id = '00000000-0000-4000-8000-000000000000'
const codes = { challengeId: id, code: '123456' }

const apiCalls: Calls<Omit<AuthApi, 'explainRedirect'>> = {
  signUp: (api, options) => api.signUp({ email, password }, options),
  signInAnonymously: (api, options) => api.signInAnonymously({}, options),
  signInWithPassword: (api, options) => api.signInWithPassword({ email, password }, options),
  signInWithOtp: (api, options) => api.signInWithOtp({ email }, options),
  resetPasswordForEmail: (api, options) => api.resetPasswordForEmail({ email }, options),
  resend: (api, options) => api.resend({ type: 'signup', email }, options),
  verifyOtp: (api, options) => api.verifyOtp({ type: 'email', email, token: '123456' }, options),
  followLink: (api, options) => api.followLink({ type: 'signup', token: 'x' }, options),
  signInWithOAuth: (api, options) =>
    api.signInWithOAuth(
      { provider: 'github', codeChallenge: 'x'.repeat(43), codeChallengeMethod: 's256' },
      options,
    ),
  exchangeCodeForSession: (api, options) =>
    api.exchangeCodeForSession({ authCode: id, codeVerifier: 'x'.repeat(43) }, options),
  signInWithIdToken: (api, options) =>
    api.signInWithIdToken({ provider: 'google', idToken: 'x' }, options),
  signInWithWeb3: (api, options) =>
    api.signInWithWeb3({ chain: 'solana', message: 'x', signature: 'x' }, options),
  refreshSession: (api, options) => api.refreshSession({ refreshToken: 'x' }, options),
  getUser: (api, options) => api.getUser({ accessToken }, options),
  updateUser: (api, options) => api.updateUser({ accessToken, data: {} }, options),
  deleteUser: (api, options) => api.deleteUser({ accessToken, password }, options),
  reauthenticate: (api, options) => api.reauthenticate({ accessToken }, options),
  linkIdentity: (api, options) => api.linkIdentity({ accessToken, provider: 'github' }, options),
  unlinkIdentity: (api, options) => api.unlinkIdentity({ accessToken, identityId: id }, options),
  enrollFactor: (api, options) => api.enrollFactor({ accessToken, factorType: 'totp' }, options),
  challengeFactor: (api, options) => api.challengeFactor({ accessToken, factorId: id }, options),
  verifyFactor: (api, options) =>
    api.verifyFactor({ accessToken, factorId: id, ...codes }, options),
  unenrollFactor: (api, options) => api.unenrollFactor({ accessToken, factorId: id }, options),
  getRecoveryCodes: (api, options) => api.getRecoveryCodes({ accessToken }, options),
  generateRecoveryCodes: (api, options) => api.generateRecoveryCodes({ accessToken }, options),
  verifyRecoveryCode: (api, options) => api.verifyRecoveryCode({ accessToken, code: '1' }, options),
  regenerateRecoveryCodes: (api, options) => api.regenerateRecoveryCodes({ accessToken }, options),
  unenrollRecoveryCodes: (api, options) => api.unenrollRecoveryCodes({ accessToken }, options),
  startPasskeyRegistration: (api, options) =>
    api.startPasskeyRegistration({ accessToken }, options),
  verifyPasskeyRegistration: (api, options) =>
    api.verifyPasskeyRegistration({ accessToken, challengeId: id, credential: {} }, options),
  startPasskeyAuthentication: (api, options) => api.startPasskeyAuthentication(options),
  verifyPasskeyAuthentication: (api, options) =>
    api.verifyPasskeyAuthentication({ challengeId: id, credential: {} }, options),
  startPasskeySignUp: (api, options) => api.startPasskeySignUp({}, options),
  verifyPasskeySignUp: (api, options) =>
    api.verifyPasskeySignUp({ challengeId: id, credential: {} }, options),
  listPasskeys: (api, options) => api.listPasskeys({ accessToken }, options),
  updatePasskey: (api, options) =>
    api.updatePasskey({ accessToken, passkeyId: id, friendlyName: 'x' }, options),
  deletePasskey: (api, options) => api.deletePasskey({ accessToken, passkeyId: id }, options),
  trustDevice: (api, options) => api.trustDevice({ accessToken }, options),
  verifyTrustedDevice: (api, options) =>
    api.verifyTrustedDevice({ accessToken, secret: 'x' }, options),
  listTrustedDevices: (api, options) => api.listTrustedDevices({ accessToken }, options),
  deleteTrustedDevice: (api, options) =>
    api.deleteTrustedDevice({ accessToken, deviceId: id }, options),
  signOut: (api, options) => api.signOut({ accessToken }, options),
  listSessions: (api, options) => api.listSessions({ accessToken }, options),
  revokeSession: (api, options) => api.revokeSession({ accessToken, sessionId: id }, options),
  getProviderToken: (api, options) => api.getProviderToken({ accessToken, provider: 'x' }, options),
}

const adminCalls: Calls<AdminApi> = {
  createUser: (admin, options) => admin.createUser({ email }, options),
  getUser: (admin, options) => admin.getUser(id, options),
  findUser: (admin, options) => admin.findUser({ email }, options),
  listUsers: (admin, options) => admin.listUsers({}, options),
  updateUser: (admin, options) => admin.updateUser(id, { role: 'staff' }, options),
  deleteUser: (admin, options) => admin.deleteUser(id, {}, options),
  exportUser: (admin, options) => admin.exportUser(id, options),
  eraseUser: (admin, options) => admin.eraseUser(id, options),
  banUser: (admin, options) => admin.banUser(id, {}, options),
  unbanUser: (admin, options) => admin.unbanUser(id, options),
  signOut: (admin, options) => admin.signOut(id, options),
  listSessions: (admin, options) => admin.listSessions(id, options),
  revokeSession: (admin, options) => admin.revokeSession(id, id, options),
  explain: (admin, options) => admin.explain('request-1', options),
  listAudit: (admin, options) => admin.listAudit({}, options),
  listFactors: (admin, options) => admin.listFactors(id, options),
  deleteFactor: (admin, options) => admin.deleteFactor(id, id, options),
  getRecoveryCodes: (admin, options) => admin.getRecoveryCodes(id, options),
  getProviderToken: (admin, options) =>
    admin.getProviderToken({ userId: id, provider: 'x' }, options),
  listPasskeys: (admin, options) => admin.listPasskeys(id, options),
  deletePasskey: (admin, options) => admin.deletePasskey(id, id, options),
  listTrustedDevices: (admin, options) => admin.listTrustedDevices(id, options),
  deleteTrustedDevice: (admin, options) => admin.deleteTrustedDevice(id, id, options),
  importUsers: (admin, options) => admin.importUsers([{ email }], {}, options),
  inviteUser: (admin, options) => admin.inviteUser({ email }, options),
  generateLink: (admin, options) =>
    admin.generateLink({ type: 'signup', email, password }, options),
}

// What is passed over in silence may be a transaction, in which all of this was to happen.
describe('an option that there is not', () => {
  const unknown = { transaction: {} } as CallOptions
  const said = new TypeError('there is no option transaction')

  it.each(Object.entries(apiCalls))('is refused by auth.api.%s', async (_, call) => {
    await expect(call(auth.auth.api, unknown)).rejects.toThrow(said)
  })

  it.each(Object.entries(adminCalls))('is refused by auth.admin.%s', async (_, call) => {
    await expect(call(auth.auth.admin, unknown)).rejects.toThrow(said)
  })
})

describe('a transaction', () => {
  it.each([
    [{ tx: {} }, 'tx has to have a method query'],
    [
      { tx: { query: async () => [] }, em: { getTransactionContext: () => ({}) } },
      'em and tx are two transactions',
    ],
  ])('that cannot be joined is refused, and nothing happens: %j', async (options, said) => {
    const creating = auth.auth.admin.createUser({ email }, options as object)

    await expect(creating).rejects.toThrow(said)
    expect(await auth.auth.admin.findUser({ email })).toBeNull()
  })
})
