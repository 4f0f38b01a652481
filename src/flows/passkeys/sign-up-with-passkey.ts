import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import type { Unread } from '../../http/endpoint.ts'
import { consumeSignUpChallenge } from '../../passkeys/consume-challenge.sql.ts'
import { challengeNotFound, credentialExists } from '../../passkeys/passkey-errors.ts'
import { rowsOf } from '../../sql/tables.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { createUser, type UserToCreate } from '../../steps/create-user.ts'
import { happened } from '../../steps/event-rows.ts'
import type { SignedIn } from '../../steps/issue-session.ts'
import { requesterOf } from '../../steps/requester-of.ts'
import { requireNamedAudience } from '../../steps/require-named-audience.ts'
import { mergeMetadata, requireMetadataFits } from '../../users/metadata.ts'
import { newUser } from '../../users/new-user.ts'
import type { User } from '../../users/user.ts'
import { newPasskey, requireNewCredential } from './new-passkey.ts'
import type { VerifyPasskeySignUpInput } from './passkeys.endpoint.ts'
import { readAnswer } from './read-answer.ts'
import { requireSignUp } from './require-passkeys.ts'

/**
 * Makes a user who has a passkey and no address, and signs them in. The challenge is spent whatever comes of it.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422), `validation_failed` (400 for a missing field or an
 *   audience that nobody named, 422 for metadata that is too large), `webauthn_challenge_not_found`,
 *   `webauthn_challenge_expired`, `webauthn_verification_failed` (400), `webauthn_credential_exists` (422).
 */
export async function signUpWithPasskey(
  ctx: AuthContext,
  { data = {}, ...input }: Unread<VerifyPasskeySignUpInput>,
): Promise<SignedIn> {
  requireSignUp(ctx)
  const { challengeId, credential } = readAnswer(input)
  const user = passkeyUser(ctx, challengeId.toLowerCase(), data)
  requireMetadataFits(ctx.config, user)
  await requireNamedAudience(ctx)
  const spent = await consumeSignUpChallenge(ctx.sql, challengeId)
  const passkey = newPasskey(ctx, user.id, await requireNewCredential(ctx, spent, credential))

  const recorded = { actorId: user.id, traits: { provider: 'passkey', passkey_id: passkey.id } }
  const signIn = prepareSession(ctx, { userId: user.id, method: 'passkey' })
  const note = await create(ctx, {
    user,
    passwordHash: null,
    // Whoever proves an address that is given to the account later need not be who signed up.
    registration: { by: 'otp', from: requesterOf(ctx), keys: Object.keys(user.userMetadata) },
    events: [
      { action: 'user_signedup', ...recorded },
      { action: 'login', ...recorded },
    ],
    happenings: [happened('passkey.registered', { passkey_id: passkey.id })],
    sessionRows: signIn.rows.sessionRows,
    passkeyRows: rowsOf('passkeys', passkey),
  })
  // An operator made a user with this id meanwhile.
  if (!note) throw challengeNotFound()
  note.log()
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

async function create(ctx: AuthContext, newcomer: UserToCreate) {
  try {
    return await createUser(ctx, newcomer)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'conflict') throw credentialExists()
    throw error
  }
}
