import type { AuthApi } from '../../../src/index.ts'
import { type TestAuth, testPassword } from '../test-auth.ts'
import { type Demand, type Door, demandOf, type Effect, type Ids, type Refusal } from './doors.ts'

/** What is known of a call. Without a token the method is called as JavaScript may call it. */
interface Call {
  api: AuthApi
  accessToken: string
  ids: Ids
  effect: Effect
}

/** A method that takes an access token: what it asks, the ids that it takes, and how it is called. */
type Method = [demand: Demand, ids: (keyof Ids)[], call: (asked: Call) => Promise<unknown>]

/** Every method of `auth.api`, with what the endpoint of the same flow asks; null for one without a token. */
const methods: Record<keyof AuthApi, Method | null> = {
  signUp: null,
  signInAnonymously: null,
  signInWithPassword: null,
  signInWithOtp: null,
  resetPasswordForEmail: null,
  resend: null,
  verifyOtp: null,
  followLink: null,
  signInWithOAuth: null,
  exchangeCodeForSession: null,
  signInWithIdToken: null,
  signInWithWeb3: null,
  startPasskeyAuthentication: null,
  verifyPasskeyAuthentication: null,
  startPasskeySignUp: null,
  verifyPasskeySignUp: null,
  refreshSession: null,
  explainRedirect: null,
  getUser: [demandOf('GET /user'), [], ({ api, accessToken }) => api.getUser({ accessToken })],
  updateUser: [
    demandOf('PUT /user'),
    [],
    ({ api, accessToken, effect }) =>
      api.updateUser({
        accessToken,
        password: effect === 'full' ? 'a brand new password' : testPassword,
      }),
  ],
  deleteUser: [
    demandOf('DELETE /user'),
    [],
    ({ api, accessToken, effect }) =>
      api.deleteUser({ accessToken, password: effect === 'full' ? testPassword : 'wrong' }),
  ],
  reauthenticate: [
    demandOf('GET /reauthenticate'),
    [],
    ({ api, accessToken }) => api.reauthenticate({ accessToken }),
  ],
  linkIdentity: [
    demandOf('GET /user/identities/authorize'),
    [],
    ({ api, accessToken }) => api.linkIdentity({ accessToken, provider: 'keycloak' }),
  ],
  unlinkIdentity: [
    demandOf('DELETE /user/identities/:identity_id'),
    ['identity_id'],
    ({ api, accessToken, ids }) => api.unlinkIdentity({ accessToken, identityId: ids.identity_id }),
  ],
  enrollFactor: [
    demandOf('POST /factors'),
    [],
    ({ api, accessToken }) => api.enrollFactor({ accessToken, factorType: 'totp' }),
  ],
  challengeFactor: [
    demandOf('POST /factors/:factor_id/challenge'),
    ['factor_id'],
    ({ api, accessToken, ids }) => api.challengeFactor({ accessToken, factorId: ids.factor_id }),
  ],
  verifyFactor: [
    demandOf('POST /factors/:factor_id/verify'),
    ['factor_id', 'challenge_id'],
    ({ api, accessToken, ids: { factor_id: factorId, challenge_id: challengeId } }) =>
      api.verifyFactor({ accessToken, factorId, challengeId, code: '123456' }),
  ],
  unenrollFactor: [
    demandOf('DELETE /factors/:factor_id'),
    ['factor_id'],
    ({ api, accessToken, ids }) => api.unenrollFactor({ accessToken, factorId: ids.factor_id }),
  ],
  getRecoveryCodes: [
    demandOf('GET /factors/recovery-codes'),
    [],
    ({ api, accessToken }) => api.getRecoveryCodes({ accessToken }),
  ],
  generateRecoveryCodes: [
    demandOf('POST /factors/recovery-codes'),
    [],
    ({ api, accessToken }) => api.generateRecoveryCodes({ accessToken }),
  ],
  verifyRecoveryCode: [
    demandOf('POST /factors/recovery-codes/verify'),
    [],
    ({ api, accessToken }) => api.verifyRecoveryCode({ accessToken, code: '123456' }),
  ],
  regenerateRecoveryCodes: [
    demandOf('POST /factors/recovery-codes/regenerate'),
    [],
    ({ api, accessToken }) => api.regenerateRecoveryCodes({ accessToken }),
  ],
  unenrollRecoveryCodes: [
    demandOf('DELETE /factors/recovery-codes'),
    [],
    ({ api, accessToken }) => api.unenrollRecoveryCodes({ accessToken }),
  ],
  startPasskeyRegistration: [
    demandOf('POST /passkeys/registration/options'),
    [],
    ({ api, accessToken }) => api.startPasskeyRegistration({ accessToken }),
  ],
  verifyPasskeyRegistration: [
    demandOf('POST /passkeys/registration/verify'),
    [],
    ({ api, accessToken, ids }) =>
      api.verifyPasskeyRegistration({ accessToken, challengeId: ids.challenge_id, credential: {} }),
  ],
  listPasskeys: [
    demandOf('GET /passkeys'),
    [],
    ({ api, accessToken }) => api.listPasskeys({ accessToken }),
  ],
  updatePasskey: [
    demandOf('PATCH /passkeys/:passkey_id'),
    ['passkey_id'],
    ({ api, accessToken, ids }) =>
      api.updatePasskey({ accessToken, passkeyId: ids.passkey_id, friendlyName: 'changed' }),
  ],
  deletePasskey: [
    demandOf('DELETE /passkeys/:passkey_id'),
    ['passkey_id'],
    ({ api, accessToken, ids }) => api.deletePasskey({ accessToken, passkeyId: ids.passkey_id }),
  ],
  trustDevice: [
    demandOf('POST /trusted-devices'),
    [],
    ({ api, accessToken }) => api.trustDevice({ accessToken }),
  ],
  verifyTrustedDevice: [
    demandOf('POST /trusted-devices/verify'),
    [],
    ({ api, accessToken }) => api.verifyTrustedDevice({ accessToken, secret: 'none' }),
  ],
  listTrustedDevices: [
    demandOf('GET /trusted-devices'),
    [],
    ({ api, accessToken }) => api.listTrustedDevices({ accessToken }),
  ],
  deleteTrustedDevice: [
    demandOf('DELETE /trusted-devices/:device_id'),
    ['device_id'],
    ({ api, accessToken, ids }) =>
      api.deleteTrustedDevice({ accessToken, deviceId: ids.device_id }),
  ],
  listSessions: [{ of: 'people' }, [], ({ api, accessToken }) => api.listSessions({ accessToken })],
  getProviderToken: [
    { of: 'people', factor: 403 },
    [],
    ({ api, accessToken }) => api.getProviderToken({ accessToken, provider: 'github' }),
  ],
  signOut: [
    demandOf('POST /logout'),
    [],
    ({ api, accessToken }) => api.signOut({ accessToken, scope: 'others' }),
  ],
  // Perhaps the caller's own session, so it comes last.
  revokeSession: [
    { of: 'people' },
    ['session_id'],
    ({ api, accessToken, ids }) => api.revokeSession({ accessToken, sessionId: ids.session_id }),
  ],
}

/** `requireUser`, and every method of `auth.api` that takes an access token. */
export function methodsOf(auth: TestAuth): Door[] {
  const { api, requireUser } = auth.auth
  const requireUserDoor: Door = {
    name: 'auth.requireUser',
    demand: { of: 'people' },
    ids: [],
    knock: async (token) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` }
      const [status, code] = await outcome(requireUser({ headers }))
      // Hosts are told 401 of a token that is no good any more, where the wire says 403.
      return status === 401 && code !== 'no_authorization' ? [403, code] : [status, code]
    },
  }
  const doors = Object.entries(methods).map(([name, method]): Door | null => {
    if (!method) return null
    const [demand, ids, call] = method
    const knock: Door['knock'] = (token, given, effect) =>
      outcome(call({ api, accessToken: token as string, ids: given, effect }))
    return { name: `auth.api.${name}`, demand, ids, knock }
  })
  return [requireUserDoor, ...doors.filter((door) => door !== null)]
}

const outcome = (calling: Promise<unknown>): Promise<Refusal> =>
  calling.then(
    () => [200, undefined],
    ({ status, code }) => [status, code],
  )
