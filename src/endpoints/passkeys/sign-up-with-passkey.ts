import { event } from '../../accounts/acts/event-rows.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { createUser, type UserToCreate } from '../../accounts/lifecycle/create-user.ts'
import { consumeSignUpChallenge } from '../../accounts/passkeys/challenges.sql.ts'
import { challengeNotFound, credentialExists } from '../../accounts/passkeys/passkey-errors.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { mergeMetadata, requireMetadataFits } from '../../accounts/users/metadata.ts'
import { newUser } from '../../accounts/users/new-user.ts'
import { requireNamedAudience } from '../../accounts/users/require-named-audience.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { VerifyPasskeySignUpInput } from './passkeys.endpoint.ts'
import { newPasskey, requireNewCredential } from './register-passkey.ts'
import { readAnswer, requireSignUp } from './require-passkeys.ts'

/**
 * Creates a user with a passkey and no address, and signs them in. The challenge is consumed, also
 * by a failed attempt.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422), `validation_failed` (400 for
 *   a missing field or an unknown audience, 422 for metadata that is too large),
 *   `webauthn_challenge_not_found`, `webauthn_challenge_expired`, `webauthn_verification_failed`
 *   (400), `webauthn_credential_exists` (422).
 */
export async function signUpWithPasskey(
  ctx: AuthContext,
  { data = {}, ...input }: Unvalidated<VerifyPasskeySignUpInput>,
): Promise<IssuedSession> {
  requireSignUp(ctx)
  const { challengeId, credential } = readAnswer(input)
  const user = passkeyUser(ctx, challengeId.toLowerCase(), data)
  requireMetadataFits(ctx.config, user)
  await requireNamedAudience(ctx)
  const spent = await consumeSignUpChallenge(ctx.sql, challengeId)
  const passkey = newPasskey(ctx, user.id, await requireNewCredential(ctx, spent, credential))

  const recorded = { actorId: user.id, traits: { provider: 'passkey', passkey_id: passkey.id } }
  const signIn = prepareSession(ctx, { userId: user.id, method: 'passkey' })
  const isCreated = await create(ctx, {
    user,
    passwordHash: null,
    // An address may be added later, and confirmed by another client than the one that signed up.
    signUpOrigin: { by: 'otp', from: requesterOf(ctx), keys: Object.keys(user.userMetadata) },
    audit: [
      { action: 'user_signedup', ...recorded },
      { action: 'login', ...recorded },
    ],
    events: [event('passkey.registered', { passkey_id: passkey.id })],
    sessionRows: signIn.rows.sessionRows,
    passkeyRows: rowsOf('passkeys', passkey),
  })
  // An operator has created a user with this id since.
  if (!isCreated) throw challengeNotFound()
  return signIn.complete(user)
}

function passkeyUser(ctx: AuthContext, id: string, data: Record<string, unknown>): User {
  const now = ctx.clock.now()
  const user = newUser(
    { random: ctx.random, now },
    {
      id,
      addresses: [],
      audience: ctx.request.audience,
      role: ctx.config.jwt.defaultRole,
      userMetadata: mergeMetadata({}, data),
    },
  )
  return { ...user, lastSignInAt: now }
}

async function create(ctx: AuthContext, order: UserToCreate) {
  try {
    return await createUser(ctx, order)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'conflict') throw credentialExists()
    throw error
  }
}
