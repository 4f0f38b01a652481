import type { AuthContext } from '../../accounts/auth-context.ts'
import { createUser } from '../../accounts/lifecycle/create-user.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { mergeMetadata, requireMetadataFits } from '../../accounts/users/metadata.ts'
import { newUser } from '../../accounts/users/new-user.ts'
import { requireNamedAudience } from '../../accounts/users/require-named-audience.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { signUpDisabled, userAlreadyExists } from '../../accounts/users/user-errors.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { SignInAnonymouslyInput } from './sign-up.endpoint.ts'

/**
 * Signs in a new user without an address. The user keeps the account, and references to its id, as
 * long as the session is kept; an address makes it permanent.
 *
 * @throws AuthError `anonymous_provider_disabled`, `signup_disabled` (422), `validation_failed`
 *   (422) for metadata that is too large, or (400) for an unknown audience.
 */
export async function signInAnonymously(
  ctx: AuthContext,
  { data = {}, username }: Unvalidated<SignInAnonymouslyInput> & { username?: string | undefined },
): Promise<IssuedSession> {
  if (!ctx.config.anonymousUsers.enabled) throw anonymousSignInsDisabled()
  // The client omitted the address. An anonymous user could not sign in with the name and password.
  if (ctx.config.usernames.enabled && username !== undefined) {
    throw validationFailed('username: A sign-up by name also requires an email or phone')
  }
  if (ctx.config.signUp.disabled) throw signUpDisabled()
  const user = anonymousUser(ctx, data)
  requireMetadataFits(ctx.config, user)
  await requireNamedAudience(ctx)
  const signIn = prepareSession(ctx, { userId: user.id, method: 'anonymous' })
  const isCreated = await createUser(ctx, {
    user,
    passwordHash: null,
    // An operator may add an address, which another client than the one that signed in may confirm.
    signUpOrigin: { by: 'otp', from: requesterOf(ctx), keys: Object.keys(user.userMetadata) },
    // No entry is recorded, as on the wire: the user has no address.
    audit: [],
    sessionRows: signIn.rows.sessionRows,
  })
  if (!isCreated) throw userAlreadyExists(422)
  return signIn.complete(user)
}

function anonymousUser(ctx: AuthContext, data: Record<string, unknown>): User {
  const now = ctx.clock.now()
  const user = newUser(
    { random: ctx.random, now },
    {
      addresses: [],
      audience: ctx.request.audience,
      role: ctx.config.jwt.defaultRole,
      isAnonymous: true,
      userMetadata: mergeMetadata({}, data),
    },
  )
  return { ...user, lastSignInAt: now }
}

const anonymousSignInsDisabled = (): AuthError =>
  new AuthError('anonymous_provider_disabled', 422, 'Anonymous sign-ins are disabled')
