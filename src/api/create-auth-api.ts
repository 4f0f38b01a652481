import type { Deps } from '../deps.ts'
import { requestOtp } from '../flows/otp/request-otp.ts'
import { reauthenticate } from '../flows/reauthenticate/reauthenticate.ts'
import { requestRecovery } from '../flows/recover/request-recovery.ts'
import { resend } from '../flows/resend/resend.ts'
import { challengeFactor } from '../flows/second-factor/challenge-factor.ts'
import { enrollFactor } from '../flows/second-factor/enroll-factor.ts'
import { unenrollFactor } from '../flows/second-factor/unenroll-factor.ts'
import { verifyFactor } from '../flows/second-factor/verify-factor.ts'
import { listSessions } from '../flows/sessions/list-sessions.ts'
import { revokeSession } from '../flows/sessions/revoke-session.ts'
import { signOut } from '../flows/sign-out/sign-out.ts'
import { signUp } from '../flows/sign-up/sign-up.ts'
import { exchangeCode } from '../flows/token/exchange-code.ts'
import { refreshSession } from '../flows/token/refresh-session.ts'
import { signInWithPassword } from '../flows/token/sign-in-with-password.ts'
import { deleteOwnUser } from '../flows/user/delete-own-user.ts'
import { getUser } from '../flows/user/get-user.ts'
import { updateUser } from '../flows/user/update-user.ts'
import { followLink } from '../flows/verify/follow-link.ts'
import { verifyToken } from '../flows/verify/verify-token.ts'
import { checkInput } from '../http/check-input.ts'
import { explainRedirect } from '../redirects/explain-redirect.ts'
import { authenticateCaller } from '../steps/authenticate-caller.ts'
import { toAccount } from '../users/account-row.ts'
import type { AuthApi } from './auth-api.ts'
import {
  Bearer,
  ChallengeFactor,
  CodeExchange,
  DeleteOwnUser,
  EnrollFactor,
  Explain,
  FollowLink,
  OneFactor,
  Refresh,
  Resend,
  ResetPassword,
  Revoke,
  SignIn,
  SignInWithOtp,
  SignOut,
  SignUp,
  UpdateUser,
  VerifyFactor,
  VerifyOtp,
} from './auth-structs.ts'
import { openCall } from './call-options.ts'
import { asRedirect, readInput } from './read-input.ts'

/** The methods of `auth.api`: each reads its input, opens a context and calls its flow. */
export const createAuthApi = (deps: Deps): AuthApi => ({
  signUp: async (input, options) => {
    const wanted = asRedirect(readInput(input, SignUp))
    const { account, session } = await signUp(openCall(deps, options), wanted)
    return { user: account, session }
  },
  signInWithPassword: async (input, options) => {
    const ctx = openCall(deps, options)
    const { account, ...rest } = await signInWithPassword(ctx, readInput(input, SignIn))
    return { user: account, ...rest }
  },
  signInWithOtp: async (input, options) => {
    const wanted = asRedirect(readInput(input, SignInWithOtp))
    return { messageId: await requestOtp(openCall(deps, options), wanted) }
  },
  resetPasswordForEmail: async (input, options) =>
    requestRecovery(openCall(deps, options), asRedirect(readInput(input, ResetPassword))),
  resend: async (input, options) => {
    const wanted = asRedirect(readInput(input, Resend))
    return { messageId: await resend(openCall(deps, options), wanted) }
  },
  verifyOtp: async (input, options) => {
    const ctx = openCall(deps, options)
    const { account, session, type } = await verifyToken(ctx, readInput(input, VerifyOtp))
    return { user: account, session, type }
  },
  followLink: async (input, options) => {
    const link = asRedirect(readInput(input, FollowLink))
    return { redirectTo: await followLink(openCall(deps, options), link) }
  },
  exchangeCodeForSession: async (input, options) => {
    const ctx = openCall(deps, options)
    const { account, session } = await exchangeCode(ctx, readInput(input, CodeExchange))
    return { user: account, session }
  },
  refreshSession: async (input, options) => {
    const { refreshToken } = readInput(input, Refresh)
    const { user, session } = await refreshSession(openCall(deps, options), refreshToken ?? '')
    return { user: toAccount(user), session }
  },
  getUser: async (input, options) => {
    const { accessToken } = readInput(input, Bearer)
    return toAccount(await getUser(openCall(deps, options), accessToken ?? null))
  },
  updateUser: async (input, options) => {
    const { accessToken, ...update } = asRedirect(readInput(input, UpdateUser))
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken ?? null)
    return updateUser(ctx, caller, update)
  },
  deleteUser: async (input, options) => {
    const { accessToken, ...proof } = readInput(input, DeleteOwnUser)
    const ctx = openCall(deps, options)
    return deleteOwnUser(ctx, await authenticateCaller(ctx, accessToken ?? null), proof)
  },
  reauthenticate: async (input, options) => {
    const { accessToken } = readInput(input, Bearer)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken ?? null)
    return { messageId: await reauthenticate(ctx, caller) }
  },
  enrollFactor: async (input, options) => {
    const { accessToken, ...wanted } = readInput(input, EnrollFactor)
    const ctx = openCall(deps, options)
    return enrollFactor(ctx, await authenticateCaller(ctx, accessToken ?? null), wanted)
  },
  challengeFactor: async (input, options) => {
    const { accessToken, factorId = '', channel } = readInput(input, ChallengeFactor)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken ?? null)
    return challengeFactor(ctx, caller, factorId, channel)
  },
  verifyFactor: async (input, options) => {
    const { accessToken, factorId = '', ...proof } = readInput(input, VerifyFactor)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken ?? null)
    const { account, session } = await verifyFactor(ctx, caller, factorId, proof)
    return { user: account, session }
  },
  unenrollFactor: async (input, options) => {
    const { accessToken, factorId = '' } = readInput(input, OneFactor)
    const ctx = openCall(deps, options)
    await unenrollFactor(ctx, await authenticateCaller(ctx, accessToken ?? null), factorId)
  },
  signOut: async (input, options) => {
    const { accessToken, scope } = readInput(input, SignOut)
    return signOut(openCall(deps, options), accessToken ?? null, scope)
  },
  listSessions: async (input, options) => {
    const { accessToken } = readInput(input, Bearer)
    const ctx = openCall(deps, options)
    return listSessions(ctx, await authenticateCaller(ctx, accessToken ?? null))
  },
  revokeSession: async (input, options) => {
    const { accessToken, sessionId } = readInput(input, Revoke)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken ?? null)
    return revokeSession(ctx, caller, sessionId ?? '')
  },
  explainRedirect: async (url) => {
    // As it is: what travels in no form is what there is to explain.
    const { url: candidate } = checkInput({ url }, Explain)
    return explainRedirect(deps.config, candidate ?? '')
  },
})
