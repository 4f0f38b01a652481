import type { AuthContext } from '../../accounts/auth-context.ts'
import type { ConsumedChallenge } from '../../accounts/passkeys/challenges.sql.ts'
import {
  challengeExpired,
  challengeNotFound,
  credentialRefused,
} from '../../accounts/passkeys/passkey-errors.ts'
import { readRegistration } from '../../credentials/webauthn/read-credential.ts'
import {
  type NewCredential,
  verifyRegistration,
} from '../../credentials/webauthn/verify-registration.ts'
import type { NewRow } from '../../platform/sql/tables.ts'

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
