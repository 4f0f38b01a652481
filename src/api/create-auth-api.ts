import type { Deps } from '../deps.ts'
import { beginExternalSignIn } from '../flows/external-sign-in/begin-external-sign-in.ts'
import {
  type AuthorizeInput,
  authorizeEndpoint,
} from '../flows/external-sign-in/external-sign-in.endpoint.ts'
import { beginLinking } from '../flows/identities/begin-linking.ts'
import {
  type IdentityInput,
  type LinkIdentityInput,
  linkIdentityEndpoint,
  unlinkIdentityEndpoint,
} from '../flows/identities/identities.endpoint.ts'
import { unlinkIdentity } from '../flows/identities/unlink-identity.ts'
import { otpEndpoint, type SignInWithOtpInput } from '../flows/otp/otp.endpoint.ts'
import { requestOtp } from '../flows/otp/request-otp.ts'
import {
  deleteOwnPasskey,
  listOwnPasskeys,
  renameOwnPasskey,
} from '../flows/passkeys/own-passkeys.ts'
import {
  deletePasskeyEndpoint,
  type PasskeyInput,
  type StartPasskeySignUpInput,
  startPasskeySignUpEndpoint,
  type UpdatePasskeyInput,
  updatePasskeyEndpoint,
  type VerifyPasskeyAuthenticationInput,
  type VerifyPasskeyRegistrationInput,
  type VerifyPasskeySignUpInput,
  verifyPasskeyAuthenticationEndpoint,
  verifyPasskeyRegistrationEndpoint,
  verifyPasskeySignUpEndpoint,
} from '../flows/passkeys/passkeys.endpoint.ts'
import { registerPasskey } from '../flows/passkeys/register-passkey.ts'
import { signInWithPasskey } from '../flows/passkeys/sign-in-with-passkey.ts'
import { signUpWithPasskey } from '../flows/passkeys/sign-up-with-passkey.ts'
import { startAuthentication } from '../flows/passkeys/start-authentication.ts'
import { startRegistration } from '../flows/passkeys/start-registration.ts'
import { startSignUp } from '../flows/passkeys/start-sign-up.ts'
import { getOwnProviderToken } from '../flows/provider-tokens/get-provider-token.ts'
import { reauthenticate } from '../flows/reauthenticate/reauthenticate.ts'
import { type ResetPasswordInput, recoverEndpoint } from '../flows/recover/recover.endpoint.ts'
import { requestRecovery } from '../flows/recover/request-recovery.ts'
import { type ResendInput, resendEndpoint } from '../flows/resend/resend.endpoint.ts'
import { resend } from '../flows/resend/resend.ts'
import { challengeFactor } from '../flows/second-factor/challenge-factor.ts'
import { enrollFactor } from '../flows/second-factor/enroll-factor.ts'
import {
  generateRecoveryCodes,
  regenerateRecoveryCodes,
} from '../flows/second-factor/generate-recovery-codes.ts'
import {
  getRecoveryCodes,
  unenrollRecoveryCodes,
} from '../flows/second-factor/own-recovery-codes.ts'
import {
  type GenerateRecoveryCodesInput,
  generateRecoveryCodesEndpoint,
  type VerifyRecoveryCodeInput,
  verifyRecoveryCodeEndpoint,
} from '../flows/second-factor/recovery-codes.endpoint.ts'
import {
  type ChallengeFactorInput,
  challengeFactorEndpoint,
  type EnrollFactorInput,
  enrollFactorEndpoint,
  type FactorInput,
  unenrollFactorEndpoint,
  type VerifyFactorInput,
  verifyFactorEndpoint,
} from '../flows/second-factor/second-factor.endpoint.ts'
import { unenrollFactor } from '../flows/second-factor/unenroll-factor.ts'
import { verifyFactor } from '../flows/second-factor/verify-factor.ts'
import { verifyRecoveryCode } from '../flows/second-factor/verify-recovery-code.ts'
import { revokeSession } from '../flows/sessions/revoke-session.ts'
import { type SignOutInput, signOutEndpoint } from '../flows/sign-out/sign-out.endpoint.ts'
import { signOut } from '../flows/sign-out/sign-out.ts'
import { signInAnonymously } from '../flows/sign-up/sign-in-anonymously.ts'
import {
  anonymousSignUpEndpoint,
  type SignInAnonymouslyInput,
  type SignUpInput,
  signUpEndpoint,
} from '../flows/sign-up/sign-up.endpoint.ts'
import { signUp } from '../flows/sign-up/sign-up.ts'
import { exchangeCode } from '../flows/token/exchange-code.ts'
import { refreshSession } from '../flows/token/refresh-session.ts'
import { signInWithIdToken } from '../flows/token/sign-in-with-id-token.ts'
import { signInWithPassword } from '../flows/token/sign-in-with-password.ts'
import { signInWithWallet } from '../flows/token/sign-in-with-wallet.ts'
import {
  codeGrant,
  type ExchangeCodeInput,
  idTokenGrant,
  passwordGrant,
  type RefreshSessionInput,
  refreshGrant,
  type SignInWithIdTokenInput,
  type SignInWithPasswordInput,
  type SignInWithWeb3Input,
  web3Grant,
} from '../flows/token/token.endpoint.ts'
import {
  deleteOwnTrustedDevice,
  listOwnTrustedDevices,
} from '../flows/trusted-devices/own-trusted-devices.ts'
import { trustDevice } from '../flows/trusted-devices/trust-device.ts'
import {
  deleteTrustedDeviceEndpoint,
  type TrustedDeviceInput,
  type VerifyTrustedDeviceInput,
  verifyTrustedDeviceEndpoint,
} from '../flows/trusted-devices/trusted-devices.endpoint.ts'
import { verifyTrustedDevice } from '../flows/trusted-devices/verify-trusted-device.ts'
import { deleteOwnUser } from '../flows/user/delete-own-user.ts'
import { getUser } from '../flows/user/get-user.ts'
import { updateUser } from '../flows/user/update-user.ts'
import {
  type DeleteOwnUserInput,
  deleteOwnUserEndpoint,
  getUserEndpoint,
  type UpdateOwnUserInput,
  updateUserEndpoint,
} from '../flows/user/user.endpoint.ts'
import { followLink } from '../flows/verify/follow-link.ts'
import {
  type FollowLinkInput,
  followLinkEndpoint,
  type VerifyOtpInput,
  verifyEndpoint,
} from '../flows/verify/verify.endpoint.ts'
import { verifyToken } from '../flows/verify/verify-token.ts'
import { checkInput } from '../http/check-input.ts'
import { fields, Text } from '../http/inputs.ts'
import { explainRedirect } from '../redirects/explain-redirect.ts'
import { authenticateCaller } from '../steps/authenticate-caller.ts'
import { liveSessions } from '../steps/live-sessions.ts'
import { toUser } from '../users/user-row.ts'
import type { AuthApi, BearerInput } from './auth-api.ts'
import { openCall } from './call-options.ts'
import { inputReader, readInput, readTexts } from './read-input.ts'

/** What reads the input of each method: by its endpoint, where it has one. */
const read = {
  signUp: inputReader<SignUpInput, typeof signUpEndpoint>(signUpEndpoint),
  signInAnonymously: inputReader<SignInAnonymouslyInput, typeof anonymousSignUpEndpoint>(
    anonymousSignUpEndpoint,
  ),
  signIn: inputReader<SignInWithPasswordInput, typeof passwordGrant>(passwordGrant),
  signInWithOtp: inputReader<SignInWithOtpInput, typeof otpEndpoint>(otpEndpoint),
  resetPassword: inputReader<ResetPasswordInput, typeof recoverEndpoint>(recoverEndpoint),
  resend: inputReader<ResendInput, typeof resendEndpoint>(resendEndpoint),
  verifyOtp: inputReader<VerifyOtpInput, typeof verifyEndpoint>(verifyEndpoint),
  followLink: inputReader<FollowLinkInput, typeof followLinkEndpoint>(followLinkEndpoint),
  authorize: inputReader<AuthorizeInput, typeof authorizeEndpoint>(authorizeEndpoint),
  codeExchange: inputReader<ExchangeCodeInput, typeof codeGrant>(codeGrant),
  signInWithIdToken: inputReader<SignInWithIdTokenInput, typeof idTokenGrant>(idTokenGrant),
  signInWithWeb3: inputReader<SignInWithWeb3Input, typeof web3Grant>(web3Grant),
  refresh: inputReader<RefreshSessionInput, typeof refreshGrant>(refreshGrant),
  bearer: inputReader<BearerInput, typeof getUserEndpoint>(getUserEndpoint),
  updateUser: inputReader<UpdateOwnUserInput, typeof updateUserEndpoint>(updateUserEndpoint),
  deleteUser: inputReader<DeleteOwnUserInput, typeof deleteOwnUserEndpoint>(deleteOwnUserEndpoint),
  linkIdentity: inputReader<LinkIdentityInput, typeof linkIdentityEndpoint>(linkIdentityEndpoint),
  unlinkIdentity: inputReader<IdentityInput, typeof unlinkIdentityEndpoint>(unlinkIdentityEndpoint),
  enrollFactor: inputReader<EnrollFactorInput, typeof enrollFactorEndpoint>(enrollFactorEndpoint),
  challengeFactor: inputReader<ChallengeFactorInput, typeof challengeFactorEndpoint>(
    challengeFactorEndpoint,
  ),
  verifyFactor: inputReader<VerifyFactorInput, typeof verifyFactorEndpoint>(verifyFactorEndpoint),
  unenrollFactor: inputReader<FactorInput, typeof unenrollFactorEndpoint>(unenrollFactorEndpoint),
  generateRecoveryCodes: inputReader<
    GenerateRecoveryCodesInput,
    typeof generateRecoveryCodesEndpoint
  >(generateRecoveryCodesEndpoint),
  verifyRecoveryCode: inputReader<VerifyRecoveryCodeInput, typeof verifyRecoveryCodeEndpoint>(
    verifyRecoveryCodeEndpoint,
  ),
  verifyPasskeyRegistration: inputReader<
    VerifyPasskeyRegistrationInput,
    typeof verifyPasskeyRegistrationEndpoint
  >(verifyPasskeyRegistrationEndpoint),
  verifyPasskeyAuthentication: inputReader<
    VerifyPasskeyAuthenticationInput,
    typeof verifyPasskeyAuthenticationEndpoint
  >(verifyPasskeyAuthenticationEndpoint),
  startPasskeySignUp: inputReader<StartPasskeySignUpInput, typeof startPasskeySignUpEndpoint>(
    startPasskeySignUpEndpoint,
  ),
  verifyPasskeySignUp: inputReader<VerifyPasskeySignUpInput, typeof verifyPasskeySignUpEndpoint>(
    verifyPasskeySignUpEndpoint,
  ),
  updatePasskey: inputReader<UpdatePasskeyInput, typeof updatePasskeyEndpoint>(
    updatePasskeyEndpoint,
  ),
  deletePasskey: inputReader<PasskeyInput, typeof deletePasskeyEndpoint>(deletePasskeyEndpoint),
  verifyTrustedDevice: inputReader<VerifyTrustedDeviceInput, typeof verifyTrustedDeviceEndpoint>(
    verifyTrustedDeviceEndpoint,
  ),
  deleteTrustedDevice: inputReader<TrustedDeviceInput, typeof deleteTrustedDeviceEndpoint>(
    deleteTrustedDeviceEndpoint,
  ),
  signOut: inputReader<SignOutInput, typeof signOutEndpoint>(signOutEndpoint),
}
const oneSession = fields({ accessToken: Text, sessionId: Text })
const oneProvider = fields({ accessToken: Text, provider: Text })
const oneUrl = fields({ url: Text })

/** The methods of `auth.api`: each reads its input, opens a context and calls its flow. */
export const createAuthApi = (deps: Deps): AuthApi => ({
  signUp: async (input, options) => {
    const wanted = read.signUp(input)
    const { user, session } = await signUp(openCall(deps, options), wanted)
    return { user, session }
  },
  signInAnonymously: async (input = {}, options) => {
    const wanted = read.signInAnonymously(input)
    const { user, session } = await signInAnonymously(openCall(deps, options), wanted)
    return { user, session }
  },
  signInWithPassword: async (input, options) => {
    const ctx = openCall(deps, options)
    const { user, ...rest } = await signInWithPassword(ctx, read.signIn(input))
    return { user, ...rest }
  },
  signInWithOtp: async (input, options) => {
    const wanted = read.signInWithOtp(input)
    return { messageId: await requestOtp(openCall(deps, options), wanted) }
  },
  resetPasswordForEmail: async (input, options) =>
    requestRecovery(openCall(deps, options), read.resetPassword(input)),
  resend: async (input, options) => {
    const wanted = read.resend(input)
    return { messageId: await resend(openCall(deps, options), wanted) }
  },
  verifyOtp: async (input, options) => {
    const ctx = openCall(deps, options)
    const { user, session, type } = await verifyToken(ctx, read.verifyOtp(input))
    return { user, session, type }
  },
  followLink: async (input, options) => {
    const link = read.followLink(input)
    return { redirectTo: await followLink(openCall(deps, options), link) }
  },
  signInWithOAuth: async (input, options) => {
    const wanted = read.authorize(input)
    const departure = { ...wanted, parameters: readTexts('parameters', input.parameters ?? {}) }
    return beginExternalSignIn(openCall(deps, options), { ...departure, browser: null })
  },
  exchangeCodeForSession: async (input, options) => {
    const ctx = openCall(deps, options)
    const { user, session, providerTokens } = await exchangeCode(ctx, read.codeExchange(input))
    return { user, session, providerTokens }
  },
  signInWithIdToken: async (input, options) => {
    const ctx = openCall(deps, options)
    const sent = read.signInWithIdToken(input)
    const { accessToken } = input
    const bearer = accessToken === undefined ? null : read.bearer({ accessToken }).accessToken
    const { user, session } = await signInWithIdToken(ctx, sent, bearer)
    return { user, session }
  },
  signInWithWeb3: async (input, options) => {
    const ctx = openCall(deps, options)
    const { user, session } = await signInWithWallet(ctx, read.signInWithWeb3(input))
    return { user, session }
  },
  refreshSession: async (input, options) => {
    const { refreshToken } = read.refresh(input)
    const { user, session } = await refreshSession(openCall(deps, options), refreshToken ?? '')
    return { user: toUser(user), session }
  },
  getUser: async (input, options) => {
    const { accessToken } = read.bearer(input)
    return toUser(await getUser(openCall(deps, options), accessToken))
  },
  updateUser: async (input, options) => {
    const { accessToken, ...update } = read.updateUser(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return updateUser(ctx, caller, update)
  },
  deleteUser: async (input, options) => {
    const { accessToken, ...proof } = read.deleteUser(input)
    const ctx = openCall(deps, options)
    return deleteOwnUser(ctx, await authenticateCaller(ctx, accessToken), proof)
  },
  reauthenticate: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return { messageId: await reauthenticate(ctx, caller) }
  },
  linkIdentity: async (input, options) => {
    const { accessToken, ...departure } = read.linkIdentity(input)
    const ctx = openCall(deps, options)
    return beginLinking(ctx, await authenticateCaller(ctx, accessToken), departure)
  },
  unlinkIdentity: async (input, options) => {
    const { accessToken, identityId = '' } = read.unlinkIdentity(input)
    const ctx = openCall(deps, options)
    return unlinkIdentity(ctx, await authenticateCaller(ctx, accessToken), { identityId })
  },
  enrollFactor: async (input, options) => {
    const { accessToken, ...wanted } = read.enrollFactor(input)
    const ctx = openCall(deps, options)
    return enrollFactor(ctx, await authenticateCaller(ctx, accessToken), wanted)
  },
  challengeFactor: async (input, options) => {
    const { accessToken, factorId = '', channel } = read.challengeFactor(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return challengeFactor(ctx, caller, factorId, channel)
  },
  verifyFactor: async (input, options) => {
    const { accessToken, factorId = '', ...proof } = read.verifyFactor(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    const { user, session } = await verifyFactor(ctx, caller, factorId, proof)
    return { user, session }
  },
  unenrollFactor: async (input, options) => {
    const { accessToken, factorId = '' } = read.unenrollFactor(input)
    const ctx = openCall(deps, options)
    await unenrollFactor(ctx, await authenticateCaller(ctx, accessToken), factorId)
  },
  getRecoveryCodes: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    return getRecoveryCodes(ctx, await authenticateCaller(ctx, accessToken))
  },
  generateRecoveryCodes: async (input, options) => {
    const { accessToken, ...wanted } = read.generateRecoveryCodes(input)
    const ctx = openCall(deps, options)
    return generateRecoveryCodes(ctx, await authenticateCaller(ctx, accessToken), wanted)
  },
  verifyRecoveryCode: async (input, options) => {
    const { accessToken, code } = read.verifyRecoveryCode(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    const { user, session } = await verifyRecoveryCode(ctx, caller, code)
    return { user, session }
  },
  regenerateRecoveryCodes: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    return regenerateRecoveryCodes(ctx, await authenticateCaller(ctx, accessToken))
  },
  unenrollRecoveryCodes: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    await unenrollRecoveryCodes(ctx, await authenticateCaller(ctx, accessToken))
  },
  startPasskeyRegistration: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    return startRegistration(ctx, await authenticateCaller(ctx, accessToken))
  },
  verifyPasskeyRegistration: async (input, options) => {
    const { accessToken, ...answer } = read.verifyPasskeyRegistration(input)
    const ctx = openCall(deps, options)
    return registerPasskey(ctx, await authenticateCaller(ctx, accessToken), answer)
  },
  startPasskeyAuthentication: async (options) => startAuthentication(openCall(deps, options)),
  verifyPasskeyAuthentication: async (input, options) => {
    const answer = read.verifyPasskeyAuthentication(input)
    const { user, session } = await signInWithPasskey(openCall(deps, options), answer)
    return { user, session }
  },
  startPasskeySignUp: async (input = {}, options) =>
    startSignUp(openCall(deps, options), read.startPasskeySignUp(input)),
  verifyPasskeySignUp: async (input, options) => {
    const answer = read.verifyPasskeySignUp(input)
    const { user, session } = await signUpWithPasskey(openCall(deps, options), answer)
    return { user, session }
  },
  listPasskeys: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    return listOwnPasskeys(ctx, await authenticateCaller(ctx, accessToken))
  },
  updatePasskey: async (input, options) => {
    const { accessToken, passkeyId = '', friendlyName } = read.updatePasskey(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return renameOwnPasskey(ctx, caller, passkeyId, friendlyName)
  },
  deletePasskey: async (input, options) => {
    const { accessToken, passkeyId = '' } = read.deletePasskey(input)
    const ctx = openCall(deps, options)
    return deleteOwnPasskey(ctx, await authenticateCaller(ctx, accessToken), passkeyId)
  },
  trustDevice: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    return trustDevice(ctx, await authenticateCaller(ctx, accessToken))
  },
  verifyTrustedDevice: async (input, options) => {
    const { accessToken, secret: given = null } = read.verifyTrustedDevice(input)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    const { user, session, secret } = await verifyTrustedDevice(ctx, caller, given)
    return { user, session, secret }
  },
  listTrustedDevices: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    return listOwnTrustedDevices(ctx, await authenticateCaller(ctx, accessToken))
  },
  deleteTrustedDevice: async (input, options) => {
    const { accessToken, deviceId = '' } = read.deleteTrustedDevice(input)
    const ctx = openCall(deps, options)
    return deleteOwnTrustedDevice(ctx, await authenticateCaller(ctx, accessToken), deviceId)
  },
  signOut: async (input, options) => {
    const { accessToken, scope } = read.signOut(input)
    return signOut(openCall(deps, options), accessToken, scope)
  },
  listSessions: async (input, options) => {
    const { accessToken } = read.bearer(input)
    const ctx = openCall(deps, options)
    const { user, session } = await authenticateCaller(ctx, accessToken)
    return liveSessions(ctx, user, session?.id)
  },
  revokeSession: async (input, options) => {
    const { accessToken = null, sessionId } = readInput(input, oneSession)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return revokeSession(ctx, caller, sessionId ?? '')
  },
  getProviderToken: async (input, options) => {
    const { accessToken = null, provider } = readInput(input, oneProvider)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return getOwnProviderToken(ctx, caller, provider ?? '')
  },
  explainRedirect: async (url) => {
    // As it is: what travels in no form is what there is to explain.
    const { url: candidate } = checkInput({ url }, oneUrl)
    return explainRedirect(deps.config, candidate ?? '')
  },
})
