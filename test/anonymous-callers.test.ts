import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EntryPoint,
  endpointsOf,
  type Ids,
  type StatusAndCode,
} from './support/authorization/entry-points.ts'
import { methodsOf } from './support/authorization/methods.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// The response of each endpoint, and of each method that takes an access token, to an anonymous
// user.

let auth: TestAuth
let entryPoints: EntryPoint[]

beforeAll(async () => {
  auth = await startTestAuth({
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
      deviceFlow: { enabled: true },
    },
    anonymousUsers: { enabled: true },
    email: { autoconfirm: false },
    security: { ownDeletionEnabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
    hooks: { sendEmail: async () => {}, sendSms: async () => {} },
  })
  entryPoints = [...(await endpointsOf(auth)), ...methodsOf(auth)]
})
afterAll(() => auth.close())

const noFactors: StatusAndCode = [403, 'no_authorization']
const noLinking: StatusAndCode = [404, 'manual_linking_disabled']

/** The requests that are rejected. They contain a password, and `PUT /user` also an email. */
const refusals: Record<string, StatusAndCode> = {
  'POST /factors': noFactors,
  'POST /factors/:factor_id/challenge': noFactors,
  'POST /factors/:factor_id/verify': noFactors,
  'DELETE /factors/:factor_id': noFactors,
  'auth.api.enrollFactor': noFactors,
  'auth.api.challengeFactor': noFactors,
  'auth.api.verifyFactor': noFactors,
  'auth.api.unenrollFactor': noFactors,
  'GET /reauthenticate': [400, 'validation_failed'],
  'auth.api.reauthenticate': [400, 'validation_failed'],
  'auth.api.updateUser': [422, 'validation_failed'],
  // Linking is disabled.
  'GET /user/identities/authorize': noLinking,
  'DELETE /user/identities/:identity_id': noLinking,
  'auth.api.linkIdentity': noLinking,
  'auth.api.unlinkIdentity': noLinking,
  'POST /passkeys/registration/options': noFactors,
  'POST /passkeys/registration/verify': noFactors,
  'auth.api.startPasskeyRegistration': noFactors,
  'auth.api.verifyPasskeyRegistration': noFactors,
  'GET /factors/recovery-codes': noFactors,
  'POST /factors/recovery-codes': noFactors,
  'POST /factors/recovery-codes/verify': noFactors,
  'POST /factors/recovery-codes/regenerate': noFactors,
  'DELETE /factors/recovery-codes': noFactors,
  'auth.api.getRecoveryCodes': noFactors,
  'auth.api.generateRecoveryCodes': noFactors,
  'auth.api.verifyRecoveryCode': noFactors,
  'auth.api.regenerateRecoveryCodes': noFactors,
  'auth.api.unenrollRecoveryCodes': noFactors,
  // Anonymous users have no passkeys.
  'PATCH /passkeys/:passkey_id': [404, 'validation_failed'],
  'DELETE /passkeys/:passkey_id': [404, 'validation_failed'],
  'auth.api.updatePasskey': [404, 'validation_failed'],
  'auth.api.deletePasskey': [404, 'validation_failed'],
  'POST /trusted-devices': [404, 'mfa_factor_not_found'],
  'auth.api.trustDevice': [404, 'mfa_factor_not_found'],
  'POST /trusted-devices/verify': [404, 'trusted_device_not_found'],
  'auth.api.verifyTrustedDevice': [404, 'trusted_device_not_found'],
  'DELETE /trusted-devices/:device_id': [404, 'trusted_device_not_found'],
  'auth.api.deleteTrustedDevice': [404, 'trusted_device_not_found'],
  'GET /oauth/authorizations/:authorization_id': [404, 'oauth_authorization_not_found'],
  'POST /oauth/authorizations/:authorization_id/consent': [404, 'oauth_authorization_not_found'],
  'DELETE /user/oauth/grants': [400, 'validation_failed'],
  'GET /oauth/device': [404, 'oauth_authorization_not_found'],
  'auth.api.oauth.getAuthorizationDetails': [404, 'oauth_authorization_not_found'],
  'auth.api.oauth.getDevice': [404, 'oauth_authorization_not_found'],
  'auth.api.oauth.revokeGrant': [400, 'validation_failed'],
  // The request contains no provider.
  'auth.api.getProviderToken': [400, 'validation_failed'],
  // Anonymous users have no password, and so cannot reauthenticate by one.
  'DELETE /user': [400, 'invalid_credentials'],
  'auth.api.deleteUser': [400, 'invalid_credentials'],
}

async function send(entryPoint: EntryPoint): Promise<StatusAndCode> {
  const { user, session } = await auth.auth.api.signInAnonymously()
  const [own] = await auth.auth.admin.listSessions(user.id)
  const ids: Ids = {
    user_id: user.id,
    factor_id: '7f3a3f0c-0000-4000-8000-000000000000',
    challenge_id: '7f3a3f0c-0000-4000-8000-000000000000',
    session_id: own?.id ?? '',
    identity_id: '7f3a3f0c-0000-4000-8000-000000000000',
    passkey_id: '7f3a3f0c-0000-4000-8000-000000000000',
    device_id: '7f3a3f0c-0000-4000-8000-000000000000',
    authorization_id: 'none',
    client_id: '7f3a3f0c-0000-4000-8000-000000000000',
    identifier: 'custom:none',
  }
  return entryPoint.send(session.accessToken, ids, 'full')
}

describe('to an anonymous user', () => {
  it.each(['people', 'operators', 'anybody'] as const)(
    'endpoints for %s return the expected response',
    async (of) => {
      const answers: [string, number, string | undefined][] = []
      for (const entryPoint of entryPoints.filter(({ demand }) => demand.of === of)) {
        answers.push([entryPoint.name, ...(await send(entryPoint))])
      }

      expect(answers.length).toBeGreaterThan(5)
      if (of === 'anybody') {
        expect(answers.filter(([, status]) => status >= 500)).toEqual([])
        return
      }
      const expected = answers.map(([name, status]) => {
        if (of === 'operators') return [name, 403, 'not_admin']
        return [name, ...(refusals[name] ?? [status < 300 ? status : 200, undefined])]
      })
      expect(answers).toEqual(expected)
    },
  )
})
