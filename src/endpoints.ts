import { listAuditEndpoint } from './flows/admin-audit/admin-audit.endpoint.ts'
import { listDecisionsEndpoint } from './flows/admin-decisions/admin-decisions.endpoint.ts'
import {
  deleteFactorByIdEndpoint,
  getRecoveryCodesByIdEndpoint,
  listFactorsEndpoint,
  updateFactorByIdEndpoint,
} from './flows/admin-users/admin-factors.endpoint.ts'
import {
  deletePasskeyByIdEndpoint,
  listPasskeysByIdEndpoint,
} from './flows/admin-users/admin-passkeys.endpoint.ts'
import {
  deleteTrustedDeviceByIdEndpoint,
  listTrustedDevicesByIdEndpoint,
} from './flows/admin-users/admin-trusted-devices.endpoint.ts'
import {
  createUserEndpoint,
  createUserWithIdEndpoint,
  deleteUserByIdEndpoint,
  getUserByIdEndpoint,
  listUsersEndpoint,
  updateUserByIdEndpoint,
} from './flows/admin-users/admin-users.endpoint.ts'
import {
  authorizeEndpoint,
  callbackEndpoint,
  callbackFormEndpoint,
} from './flows/external-sign-in/external-sign-in.endpoint.ts'
import { generateLinkEndpoint } from './flows/generate-link/generate-link.endpoint.ts'
import {
  linkIdentityEndpoint,
  unlinkIdentityEndpoint,
} from './flows/identities/identities.endpoint.ts'
import { inviteEndpoint } from './flows/invite/invite.endpoint.ts'
import { magicLinkEndpoint, otpEndpoint } from './flows/otp/otp.endpoint.ts'
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
} from './flows/passkeys/passkeys.endpoint.ts'
import { reauthenticateEndpoint } from './flows/reauthenticate/reauthenticate.endpoint.ts'
import { recoverEndpoint } from './flows/recover/recover.endpoint.ts'
import { resendEndpoint } from './flows/resend/resend.endpoint.ts'
import {
  generateRecoveryCodesEndpoint,
  getRecoveryCodesEndpoint,
  regenerateRecoveryCodesEndpoint,
  unenrollRecoveryCodesEndpoint,
  verifyRecoveryCodeEndpoint,
} from './flows/second-factor/recovery-codes.endpoint.ts'
import {
  challengeFactorEndpoint,
  enrollFactorEndpoint,
  unenrollFactorEndpoint,
  verifyFactorEndpoint,
} from './flows/second-factor/second-factor.endpoint.ts'
import { signOutEndpoint } from './flows/sign-out/sign-out.endpoint.ts'
import { anonymousSignUpEndpoint, signUpEndpoint } from './flows/sign-up/sign-up.endpoint.ts'
import {
  beginSingleSignOnEndpoint,
  samlAssertionEndpoint,
  samlMetadataEndpoint,
} from './flows/single-sign-on/single-sign-on.endpoint.ts'
import {
  healthEndpoint,
  jwksEndpoint,
  openidConfigurationEndpoint,
  readyEndpoint,
  settingsEndpoint,
} from './flows/status/status.endpoint.ts'
import {
  codeGrant,
  idTokenGrant,
  passwordGrant,
  refreshGrant,
  web3Grant,
} from './flows/token/token.endpoint.ts'
import {
  deleteTrustedDeviceEndpoint,
  listTrustedDevicesEndpoint,
  trustDeviceEndpoint,
  verifyTrustedDeviceEndpoint,
} from './flows/trusted-devices/trusted-devices.endpoint.ts'
import {
  deleteOwnUserEndpoint,
  getUserEndpoint,
  updateUserEndpoint,
} from './flows/user/user.endpoint.ts'
import { followLinkEndpoint, verifyEndpoint } from './flows/verify/verify.endpoint.ts'
import type { Endpoint } from './http/endpoint.ts'

/** Every endpoint, in reading order. Some share a path: each grant of `POST /token` is one of its own. */
export const endpoints: readonly Endpoint[] = [
  healthEndpoint,
  readyEndpoint,
  settingsEndpoint,
  jwksEndpoint,
  openidConfigurationEndpoint,
  signUpEndpoint,
  anonymousSignUpEndpoint,
  passwordGrant,
  refreshGrant,
  codeGrant,
  idTokenGrant,
  web3Grant,
  authorizeEndpoint,
  callbackEndpoint,
  callbackFormEndpoint,
  beginSingleSignOnEndpoint,
  samlMetadataEndpoint,
  samlAssertionEndpoint,
  signOutEndpoint,
  otpEndpoint,
  magicLinkEndpoint,
  recoverEndpoint,
  resendEndpoint,
  followLinkEndpoint,
  verifyEndpoint,
  reauthenticateEndpoint,
  getUserEndpoint,
  updateUserEndpoint,
  deleteOwnUserEndpoint,
  linkIdentityEndpoint,
  unlinkIdentityEndpoint,
  enrollFactorEndpoint,
  challengeFactorEndpoint,
  verifyFactorEndpoint,
  unenrollFactorEndpoint,
  getRecoveryCodesEndpoint,
  generateRecoveryCodesEndpoint,
  verifyRecoveryCodeEndpoint,
  regenerateRecoveryCodesEndpoint,
  unenrollRecoveryCodesEndpoint,
  startPasskeyRegistrationEndpoint,
  verifyPasskeyRegistrationEndpoint,
  startPasskeyAuthenticationEndpoint,
  verifyPasskeyAuthenticationEndpoint,
  startPasskeySignUpEndpoint,
  verifyPasskeySignUpEndpoint,
  listPasskeysEndpoint,
  updatePasskeyEndpoint,
  deletePasskeyEndpoint,
  trustDeviceEndpoint,
  verifyTrustedDeviceEndpoint,
  listTrustedDevicesEndpoint,
  deleteTrustedDeviceEndpoint,
  inviteEndpoint,
  generateLinkEndpoint,
  listUsersEndpoint,
  createUserEndpoint,
  createUserWithIdEndpoint,
  getUserByIdEndpoint,
  updateUserByIdEndpoint,
  deleteUserByIdEndpoint,
  listFactorsEndpoint,
  updateFactorByIdEndpoint,
  deleteFactorByIdEndpoint,
  getRecoveryCodesByIdEndpoint,
  listPasskeysByIdEndpoint,
  deletePasskeyByIdEndpoint,
  listTrustedDevicesByIdEndpoint,
  deleteTrustedDeviceByIdEndpoint,
  listAuditEndpoint,
  listDecisionsEndpoint,
]
