import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import {
  type ConsumedChallenge,
  consumeRegistrationChallenge,
} from '../../accounts/passkeys/challenges.sql.ts'
import type { Passkey } from '../../accounts/passkeys/passkey.ts'
import {
  challengeExpired,
  challengeNotFound,
  credentialExists,
  credentialRefused,
  tooManyPasskeys,
} from '../../accounts/passkeys/passkey-errors.ts'
import { insertPasskey, toPasskey } from '../../accounts/passkeys/passkeys.sql.ts'
import { readRegistration } from '../../credentials/webauthn/read-credential.ts'
import {
  type NewCredential,
  verifyRegistration,
} from '../../credentials/webauthn/verify-ceremony.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { VerifyPasskeyRegistrationInput } from './passkeys.endpoint.ts'
import { readAnswer, requireMayRegister, requirePasskeys } from './require-passkeys.ts'

/**
 * Registers a passkey of the caller. The challenge is consumed, also by a failed attempt.
 *
 * @throws AuthError as `startRegistration`, `webauthn_challenge_not_found` also for one of
 *   another user or session, `webauthn_challenge_expired`, `webauthn_verification_failed` (400),
 *   `webauthn_credential_exists` (422).
 */
export async function registerPasskey(
  ctx: AuthContext,
  caller: Caller,
  input: Unvalidated<VerifyPasskeyRegistrationInput>,
): Promise<Passkey> {
  requirePasskeys(ctx)
  const session = requireMayRegister(ctx, caller)
  const { challengeId, credential } = readAnswer(input)
  const spent = await consumeRegistrationChallenge(ctx.sql, {
    challengeId,
    userId: caller.user.id,
    sessionId: session.id,
  })
  const row = newPasskey(ctx, caller.user.id, await requireNewCredential(ctx, spent, credential))

  // The lock permits one registration at a time, and none in a session that has ended since.
  await withLockedCaller(ctx, caller, async (tx, current) => {
    requireMayRegister(tx, current)
    await store(tx, current, row)
  })
  return toPasskey({ ...row, last_used_at: null, suspended_at: null })
}

async function store(
  ctx: TransactionContext,
  { user }: Caller,
  row: NewRow<'passkeys'>,
): Promise<void> {
  const about = { passkey_id: row.id }
  const act = {
    audit: { action: 'passkey_created', actorId: user.id, traits: about },
    events: { userId: user.id, events: [event('passkey.registered', about)] },
    notices: factorNotice(ctx, 'mfaFactorEnrolled', user, 'webauthn'),
  } as const
  const maxPasskeys = ctx.config.passkeys.maxPasskeysPerUser
  await performAct(ctx, act, async (rows) => {
    const result = await insertPasskey(ctx.sql, row, { maxPasskeys, ...rows })
    if (result === 'full') throw tooManyPasskeys()
    if (result === 'known') throw credentialExists()
  })
}

/**
 * Verifies the browser's response to a challenge that is already consumed.
 *
 * @throws AuthError `webauthn_challenge_not_found`, `webauthn_challenge_expired`,
 *   `webauthn_verification_failed` (400).
 */
export async function requireNewCredential(
  { clock, config }: AuthContext,
  spent: ConsumedChallenge | null,
  given: unknown,
): Promise<NewCredential> {
  if (!spent) throw challengeNotFound()
  if (clock.now() >= spent.expiresAt) throw challengeExpired()
  const response = readRegistration(given)
  const credential = await verifyRegistration(config.webAuthn, spent.challengeHash, response)
  if (!credential) throw credentialRefused()
  return credential
}

/** The name of a passkey until its user renames it. Pages show it in the language of the user. */
export const firstPasskeyName = 'Passkey'

/** Returns the row of a passkey without a sign-in. */
export function newPasskey(
  { random, clock }: AuthContext,
  userId: string,
  credential: NewCredential,
): NewRow<'passkeys'> {
  const now = clock.now().toISOString()
  return {
    id: random.uuid(),
    user_id: userId,
    credential_id: credential.id,
    public_key: credential.publicKey,
    sign_count: credential.signCount,
    transports: credential.transports,
    attestation_format: credential.attestationFormat,
    aaguid: credential.aaguid,
    backup_eligible: credential.backupEligible,
    backed_up: credential.backedUp,
    friendly_name: firstPasskeyName,
    created_at: now,
    updated_at: now,
  }
}
