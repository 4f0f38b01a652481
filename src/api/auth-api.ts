import { object } from 'superstruct'
import type { Deps } from '../deps.ts'
import { listSessions } from '../flows/sessions/list-sessions.ts'
import { revokeSession } from '../flows/sessions/revoke-session.ts'
import { signOut } from '../flows/sign-out/sign-out.ts'
import { signUp } from '../flows/sign-up/sign-up.ts'
import { refreshSession } from '../flows/token/refresh-session.ts'
import { signInWithPassword } from '../flows/token/sign-in-with-password.ts'
import { getUser } from '../flows/user/get-user.ts'
import { updateUser } from '../flows/user/update-user.ts'
import { checkInput } from '../http/check-input.ts'
import { Metadata, Text } from '../http/inputs.ts'
import type { PasswordWeakness } from '../passwords/password-policy.ts'
import { explainRedirect, type RedirectDecision } from '../redirects/explain-redirect.ts'
import type { SignOutScope } from '../sessions/end-sessions.sql.ts'
import type { IssuedSession } from '../sessions/session.ts'
import type { SessionInfo } from '../sessions/session-info.ts'
import { authenticateCaller } from '../steps/authenticate-caller.ts'
import type { Account } from '../users/account.ts'
import { type CallOptions, openCall } from './call-options.ts'
import { readInput } from './read-input.ts'

/** A sign-in by password. Exactly one of `email` and `phone` is given. */
export interface SignInInput {
  email?: string | undefined
  phone?: string | undefined
  password: string
}

export interface SignUpInput extends SignInInput {
  /** Becomes the user's metadata. */
  data?: Record<string, unknown> | undefined
}

export interface UpdateUserInput {
  accessToken: string
  password?: string | undefined
  /** The password until now, where the configuration asks for it. */
  currentPassword?: string | undefined
  /** Merged into the user's metadata; null removes a key. */
  data?: Record<string, unknown> | undefined
}

export interface SignUpResult {
  user: Account
  /** Null until the address is confirmed. */
  session: IssuedSession | null
}

export interface SignInResult {
  user: Account
  session: IssuedSession
}

export interface PasswordSignInResult extends SignInResult {
  /** Which of today's rules for new passwords the password breaks; null when none. */
  weakPassword: PasswordWeakness | null
}

/**
 * What users do, called from code: the public endpoints, through the same checks. Every method throws
 * `AuthError` with the code of the wire.
 */
export interface AuthApi {
  /** Signs up by email or phone. Errors: `weak_password`, `user_already_exists`, `signup_disabled`. */
  signUp(input: SignUpInput, options?: CallOptions): Promise<SignUpResult>
  /** Errors: `invalid_credentials`, `email_not_confirmed`, `phone_not_confirmed`, `user_banned`. */
  signInWithPassword(input: SignInInput, options?: CallOptions): Promise<PasswordSignInResult>
  /** Errors: `refresh_token_not_found`, `refresh_token_already_used`, `session_expired`, `user_banned`. */
  refreshSession(input: { refreshToken: string }, options?: CallOptions): Promise<SignInResult>
  /** Errors: `bad_jwt`, `session_not_found`, `user_not_found`, `user_banned`. */
  getUser(input: { accessToken: string }, options?: CallOptions): Promise<Account>
  /** Errors: those of `getUser`, `weak_password`, `same_password`. */
  updateUser(input: UpdateUserInput, options?: CallOptions): Promise<Account>
  /** Ends all sessions of the user (`global`, the default), this one, or all others. */
  signOut(
    input: { accessToken: string; scope?: SignOutScope | undefined },
    options?: CallOptions,
  ): Promise<void>
  /** The user's sessions, the one that was used last first. Errors: those of `getUser`. */
  listSessions(input: { accessToken: string }, options?: CallOptions): Promise<SessionInfo[]>
  /** Ends one of the user's sessions. Errors: those of `getUser`, `session_not_found` (404). */
  revokeSession(
    input: { accessToken: string; sessionId: string },
    options?: CallOptions,
  ): Promise<void>
  /** Whether people may be sent to this URL, and by which rule; else why not, in words. */
  explainRedirect(url: string): Promise<RedirectDecision>
}

const SignIn = object({ email: Text, phone: Text, password: Text })
const SignUp = object({ email: Text, phone: Text, password: Text, data: Metadata })
const Refresh = object({ refreshToken: Text })
const Bearer = object({ accessToken: Text })
const Update = object({ accessToken: Text, password: Text, currentPassword: Text, data: Metadata })
const Revoke = object({ accessToken: Text, sessionId: Text })
const SignOut = object({ accessToken: Text, scope: Text })
const Explain = object({ url: Text })

/** @internal */
export const createAuthApi = (deps: Deps): AuthApi => ({
  signUp: async (input, options) => {
    const { account, session } = await signUp(openCall(deps, options), readInput(input, SignUp))
    return { user: account, session }
  },
  signInWithPassword: async (input, options) => {
    const ctx = openCall(deps, options)
    const { account, ...rest } = await signInWithPassword(ctx, readInput(input, SignIn))
    return { user: account, ...rest }
  },
  refreshSession: async (input, options) => {
    const { refreshToken } = readInput(input, Refresh)
    const { account, session } = await refreshSession(openCall(deps, options), refreshToken ?? '')
    return { user: account, session }
  },
  getUser: async (input, options) => {
    const { accessToken } = readInput(input, Bearer)
    return getUser(openCall(deps, options), accessToken ?? null)
  },
  updateUser: async (input, options) => {
    const { accessToken, ...update } = readInput(input, Update)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken ?? null)
    return updateUser(ctx, caller, update)
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
