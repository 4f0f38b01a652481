import { describe, expect, it } from 'vitest'
import { listAuditEndpoint } from '../src/flows/admin-audit/admin-audit.endpoint.ts'
import {
  deleteFactorByIdEndpoint,
  getRecoveryCodesByIdEndpoint,
  listFactorsEndpoint,
} from '../src/flows/admin-users/admin-factors.endpoint.ts'
import {
  deletePasskeyByIdEndpoint,
  listPasskeysByIdEndpoint,
} from '../src/flows/admin-users/admin-passkeys.endpoint.ts'
import {
  deleteTrustedDeviceByIdEndpoint,
  listTrustedDevicesByIdEndpoint,
} from '../src/flows/admin-users/admin-trusted-devices.endpoint.ts'
import {
  createUserEndpoint,
  deleteUserByIdEndpoint,
  getUserByIdEndpoint,
  listUsersEndpoint,
  updateUserByIdEndpoint,
} from '../src/flows/admin-users/admin-users.endpoint.ts'
import { authorizeEndpoint } from '../src/flows/external-sign-in/external-sign-in.endpoint.ts'
import { generateLinkEndpoint } from '../src/flows/generate-link/generate-link.endpoint.ts'
import {
  linkIdentityEndpoint,
  unlinkIdentityEndpoint,
} from '../src/flows/identities/identities.endpoint.ts'
import { inviteEndpoint } from '../src/flows/invite/invite.endpoint.ts'
import { otpEndpoint } from '../src/flows/otp/otp.endpoint.ts'
import {
  deletePasskeyEndpoint,
  listPasskeysEndpoint,
  startPasskeyAuthenticationEndpoint,
  startPasskeyRegistrationEndpoint,
  startPasskeySignUpEndpoint,
  updatePasskeyEndpoint,
  verifyPasskeyAuthenticationEndpoint,
  verifyPasskeyRegistrationEndpoint,
  verifyPasskeySignUpEndpoint,
} from '../src/flows/passkeys/passkeys.endpoint.ts'
import { reauthenticateEndpoint } from '../src/flows/reauthenticate/reauthenticate.endpoint.ts'
import { recoverEndpoint } from '../src/flows/recover/recover.endpoint.ts'
import { resendEndpoint } from '../src/flows/resend/resend.endpoint.ts'
import {
  generateRecoveryCodesEndpoint,
  getRecoveryCodesEndpoint,
  regenerateRecoveryCodesEndpoint,
  unenrollRecoveryCodesEndpoint,
  verifyRecoveryCodeEndpoint,
} from '../src/flows/second-factor/recovery-codes.endpoint.ts'
import {
  challengeFactorEndpoint,
  enrollFactorEndpoint,
  unenrollFactorEndpoint,
  verifyFactorEndpoint,
} from '../src/flows/second-factor/second-factor.endpoint.ts'
import { signOutEndpoint } from '../src/flows/sign-out/sign-out.endpoint.ts'
import { anonymousSignUpEndpoint, signUpEndpoint } from '../src/flows/sign-up/sign-up.endpoint.ts'
import {
  codeGrant,
  idTokenGrant,
  passwordGrant,
  refreshGrant,
  web3Grant,
} from '../src/flows/token/token.endpoint.ts'
import {
  deleteTrustedDeviceEndpoint,
  listTrustedDevicesEndpoint,
  trustDeviceEndpoint,
  verifyTrustedDeviceEndpoint,
} from '../src/flows/trusted-devices/trusted-devices.endpoint.ts'
import {
  deleteOwnUserEndpoint,
  getUserEndpoint,
  updateUserEndpoint,
} from '../src/flows/user/user.endpoint.ts'
import { followLinkEndpoint, verifyEndpoint } from '../src/flows/verify/verify.endpoint.ts'
import { commonErrors, type Endpoint } from '../src/http/endpoint.ts'
import { fields } from '../src/http/inputs.ts'
import type { AdminApi, AuthApi, OutboxApi } from '../src/index.ts'
import { documentedErrors } from './support/documented-errors.ts'

// What a method of `auth.api` and `auth.admin` throws is what the endpoint answers whose twin it is.

/** The endpoint that a method is the twin of; null for one that is in code alone. */
type Twins<Api> = { readonly [Method in keyof Api]: Endpoint | null }

const twins = {
  AuthApi: {
    signUp: signUpEndpoint,
    signInAnonymously: anonymousSignUpEndpoint,
    signInWithPassword: passwordGrant,
    signInWithOtp: otpEndpoint,
    resetPasswordForEmail: recoverEndpoint,
    resend: resendEndpoint,
    verifyOtp: verifyEndpoint,
    followLink: followLinkEndpoint,
    signInWithOAuth: authorizeEndpoint,
    exchangeCodeForSession: codeGrant,
    signInWithIdToken: idTokenGrant,
    signInWithWeb3: web3Grant,
    refreshSession: refreshGrant,
    getUser: getUserEndpoint,
    updateUser: updateUserEndpoint,
    deleteUser: deleteOwnUserEndpoint,
    reauthenticate: reauthenticateEndpoint,
    linkIdentity: linkIdentityEndpoint,
    unlinkIdentity: unlinkIdentityEndpoint,
    enrollFactor: enrollFactorEndpoint,
    challengeFactor: challengeFactorEndpoint,
    verifyFactor: verifyFactorEndpoint,
    unenrollFactor: unenrollFactorEndpoint,
    getRecoveryCodes: getRecoveryCodesEndpoint,
    generateRecoveryCodes: generateRecoveryCodesEndpoint,
    verifyRecoveryCode: verifyRecoveryCodeEndpoint,
    regenerateRecoveryCodes: regenerateRecoveryCodesEndpoint,
    unenrollRecoveryCodes: unenrollRecoveryCodesEndpoint,
    startPasskeyRegistration: startPasskeyRegistrationEndpoint,
    verifyPasskeyRegistration: verifyPasskeyRegistrationEndpoint,
    startPasskeyAuthentication: startPasskeyAuthenticationEndpoint,
    verifyPasskeyAuthentication: verifyPasskeyAuthenticationEndpoint,
    startPasskeySignUp: startPasskeySignUpEndpoint,
    verifyPasskeySignUp: verifyPasskeySignUpEndpoint,
    listPasskeys: listPasskeysEndpoint,
    updatePasskey: updatePasskeyEndpoint,
    deletePasskey: deletePasskeyEndpoint,
    trustDevice: trustDeviceEndpoint,
    verifyTrustedDevice: verifyTrustedDeviceEndpoint,
    listTrustedDevices: listTrustedDevicesEndpoint,
    deleteTrustedDevice: deleteTrustedDeviceEndpoint,
    signOut: signOutEndpoint,
    listSessions: null,
    revokeSession: null,
    getProviderToken: null,
    explainRedirect: null,
  } satisfies Twins<AuthApi>,
  AdminApi: {
    createUser: createUserEndpoint,
    getUser: getUserByIdEndpoint,
    findUser: null,
    listUsers: listUsersEndpoint,
    updateUser: updateUserByIdEndpoint,
    deleteUser: deleteUserByIdEndpoint,
    exportUser: null,
    eraseUser: null,
    banUser: null,
    unbanUser: null,
    signOut: null,
    listSessions: null,
    revokeSession: null,
    listFactors: listFactorsEndpoint,
    deleteFactor: deleteFactorByIdEndpoint,
    getRecoveryCodes: getRecoveryCodesByIdEndpoint,
    getProviderToken: null,
    listPasskeys: listPasskeysByIdEndpoint,
    deletePasskey: deletePasskeyByIdEndpoint,
    listTrustedDevices: listTrustedDevicesByIdEndpoint,
    deleteTrustedDevice: deleteTrustedDeviceByIdEndpoint,
    listAudit: listAuditEndpoint,
    explain: null,
    importUsers: null,
    inviteUser: inviteEndpoint,
    generateLink: generateLinkEndpoint,
  } satisfies Twins<AdminApi>,
  OutboxApi: { list: null, retry: null, preview: null } satisfies Twins<OutboxApi>,
}

/** What calls in code never end in: they have neither headers nor a time limit, and a fault is thrown as it is. */
const inHttpAlone: ReadonlySet<string> = new Set([
  'request_timeout',
  'unexpected_audience',
  'unexpected_failure',
])

/** The errors of the twin of an endpoint: no token of an operator is asked for, and no captcha, and nothing counts its requests. */
function errorsInCode({ limit: _, captcha: __, ...endpoint }: Endpoint): string[] {
  const { caller, body, query, errors } = endpoint
  // Ids that are arguments are not read as an input is.
  const hasInput = caller !== 'operator' || body !== undefined || query !== undefined
  const common = commonErrors({
    ...endpoint,
    caller: caller === 'operator' ? 'anyone' : caller,
    ...(hasInput && { body: fields({}) }),
  }).filter((code) => hasInput || code !== 'request_entity_too_large')
  return [...new Set([...errors, ...common])].filter((code) => !inHttpAlone.has(code)).sort()
}

describe.each(Object.entries(twins))('the doc comments of %s', (api, methods) => {
  it.each(Object.entries(methods))('list the errors of %s with @throws', (method, endpoint) => {
    const listed = documentedErrors(`${api}.${method}`)

    expect(listed).toContain('service_unavailable')
    if (endpoint) expect([...listed].sort()).toEqual(errorsInCode(endpoint))
  })
})

it('lists for requireUser what the token of a request may end in, and what its proof may lack', () => {
  const ofToken = errorsInCode(getUserEndpoint).filter((code) => !ofInputs.has(code))

  expect([...documentedErrors('Auth.requireUser')].sort()).toEqual([...ofToken, ...ofProof].sort())
})

const ofProof = ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed']

const ofInputs: ReadonlySet<string> = new Set([
  'bad_json',
  'validation_failed',
  'request_entity_too_large',
])
