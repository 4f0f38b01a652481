import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import type { Unread } from '../../http/endpoint.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { createUser } from '../../steps/create-user.ts'
import type { SignedIn } from '../../steps/issue-session.ts'
import { requesterOf } from '../../steps/requester-of.ts'
import { requireNamedAudience } from '../../steps/require-named-audience.ts'
import { mergeMetadata, requireMetadataFits } from '../../users/metadata.ts'
import { newUser } from '../../users/new-user.ts'
import type { User } from '../../users/user.ts'
import { signUpDisabled, userAlreadyExists } from '../../users/user-errors.ts'
import type { SignInAnonymouslyInput } from './sign-up.endpoint.ts'

/**
 * Signs in somebody who gives no address, as a user who is new. They keep the account, and all that refers to its id,
 * for as long as they keep the session; an address makes it permanent.
 *
 * @throws AuthError `anonymous_provider_disabled`, `signup_disabled` (422), `validation_failed` (422) for metadata that
 *   is too large, or (400) for an audience that nobody named.
 */
export async function signInAnonymously(
  ctx: AuthContext,
  { data = {} }: Unread<SignInAnonymouslyInput>,
): Promise<SignedIn> {
  requireAnonymousUsers(ctx)
  if (ctx.config.signUp.disabled) throw signUpDisabled()
  const user = anonymousUser(ctx, data)
  requireMetadataFits(ctx.config, user)
  await requireNamedAudience(ctx)
  const signIn = prepareSession(ctx, { userId: user.id, method: 'anonymous' })
  const note = await createUser(ctx, {
    user,
    passwordHash: null,
    // Whoever proves an address that an operator gives to the account need not be who signed in.
    registration: { by: 'otp', from: requesterOf(ctx), keys: Object.keys(user.userMetadata) },
    // Nothing is recorded, as on the wire: there is nobody to tell of.
    events: [],
    sessionRows: signIn.rows.sessionRows,
  })
  if (!note) throw userAlreadyExists(422)
  return signIn.complete(user)
}

/**
 * Refuses everybody where nobody signs in anonymously.
 *
 * @throws AuthError `anonymous_provider_disabled` (422).
 */
export function requireAnonymousUsers({ config }: Pick<AuthContext, 'config'>): void {
  if (!config.anonymousUsers.enabled) throw anonymousSignInsDisabled()
}

/** Whether a body of `POST /signup` is of somebody who gives no address. */
export const isAnonymousSignUp = ({
  email,
  phone,
}: {
  email?: string | undefined
  phone?: string | undefined
}): boolean => !email && !phone

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
