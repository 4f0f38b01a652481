import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import {
  storeChallenge,
  storeRegistrationChallenge,
} from '../../accounts/passkeys/challenges.sql.ts'
import { tooManyPasskeys } from '../../accounts/passkeys/passkey-errors.ts'
import type { WebAuthnChallengeRow } from '../../accounts/passkeys/passkeys.sql.ts'
import {
  creationOptions,
  credentialUserNames,
  hashChallenge,
  newChallenge,
  requestOptions,
} from '../../credentials/webauthn/ceremony-options.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type {
  PasskeyAuthentication,
  PasskeyRegistration,
  StartPasskeySignUpInput,
} from './passkeys.endpoint.ts'
import { requireMayRegister, requirePasskeys, requireSignUp } from './require-passkeys.ts'

/** Generates a challenge and its row. */
function issueChallenge(
  { random, clock, config }: AuthContext,
  purpose: WebAuthnChallengeRow['purpose'],
) {
  const challenge = newChallenge(random)
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + config.webAuthn.challengeExpirySeconds * 1000)
  const id = random.uuid()
  const row: NewRow<'web_authn_challenges'> = {
    id,
    purpose,
    challenge_hash: hashChallenge(challenge),
    expires_at: expiresAt.toISOString(),
    created_at: now.toISOString(),
  }
  return { id, challenge, expiresAt, row }
}

/**
 * Starts the registration of a passkey of the caller, in this session only.
 *
 * @throws AuthError `passkey_disabled` (404), `no_authorization` (403) for an anonymous user,
 *   `validation_failed` (422) for a user of single sign-on, `session_not_found`,
 *   `insufficient_aal`, `reauthentication_needed` (403), `too_many_passkeys` (422).
 */
export async function startRegistration(
  ctx: AuthContext,
  caller: Caller,
): Promise<PasskeyRegistration> {
  requirePasskeys(ctx)
  const session = requireMayRegister(ctx, caller)
  const { id, challenge, expiresAt, row } = issueChallenge(ctx, 'registration')
  const { user } = caller
  const known = await storeRegistrationChallenge(
    ctx.sql,
    { ...row, user_id: user.id, session_id: session.id },
    ctx.config.passkeys.maxPasskeysPerUser,
  )
  if (!known) throw tooManyPasskeys()
  const options = creationOptions(ctx.config.webAuthn, {
    challenge,
    user: credentialUserNames(user),
    known,
  })
  return { challengeId: id, expiresAt, options }
}

/**
 * Starts a sign-in by passkey. The user is identified by the response.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export async function startAuthentication(ctx: AuthContext): Promise<PasskeyAuthentication> {
  requirePasskeys(ctx)
  const { id, challenge, expiresAt, row } = issueChallenge(ctx, 'authentication')
  await storeChallenge(ctx.sql, row)
  return { challengeId: id, expiresAt, options: requestOptions(ctx.config.webAuthn, challenge) }
}

/** Authenticators may truncate a longer name. @see Web Authentication Level 3 §6.4.1 */
const maxNameBytes = 64

/**
 * Starts a sign-up by passkey. The challenge's id becomes the id of the new user.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422), `validation_failed` (400).
 */
export async function startSignUp(
  ctx: AuthContext,
  { name: given = '' }: Unvalidated<StartPasskeySignUpInput>,
): Promise<PasskeyRegistration> {
  requireSignUp(ctx)
  if (Buffer.byteLength(given) > maxNameBytes) {
    throw validationFailed(`name must be ${maxNameBytes} bytes or less`)
  }
  const { id, challenge, expiresAt, row } = issueChallenge(ctx, 'signup')
  await storeChallenge(ctx.sql, row)
  const name = given || ctx.config.webAuthn.rpDisplayName
  const user = { id, name, displayName: name }
  const options = creationOptions(ctx.config.webAuthn, { challenge, user, known: [] })
  return { challengeId: id, expiresAt, options }
}
