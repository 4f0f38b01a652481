import type { AuthContext } from '../../accounts/auth-context.ts'
import type { SpentChallenge } from '../../accounts/passkeys/consume-challenge.sql.ts'
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
 * Verifies what a browser answered a challenge with that is spent by now.
 *
 * @throws AuthError `webauthn_challenge_not_found`, `webauthn_challenge_expired`, `webauthn_verification_failed` (400).
 */
export async function requireNewCredential(
  { clock, config }: AuthContext,
  spent: SpentChallenge | null,
  given: unknown,
): Promise<NewCredential> {
  if (!spent) throw challengeNotFound()
  if (clock.now() >= spent.expiresAt) throw challengeExpired()
  const response = readRegistration(given)
  const credential = await verifyRegistration(config.webAuthn, spent.challengeHash, response)
  if (!credential) throw credentialRefused()
  return credential
}

/** What a passkey is called until its user gives it a name. */
const firstName = 'Passkey'

/** The row of a passkey that nobody has signed in with yet. */
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
    friendly_name: firstName,
    created_at: now,
    updated_at: now,
  }
}
