import type { AuthContext } from '../../deps.ts'
import type { CountedAttempt } from '../../factors/count-challenge-attempt.sql.ts'
import type { Factor } from '../../users/user.ts'
import type { readAssertion, readRegistration } from '../../webauthn/read-credential.ts'
import { verifyAssertion } from '../../webauthn/verify-assertion.ts'
import { verifyRegistration } from '../../webauthn/verify-registration.ts'
import type { RightProof } from './read-proof.ts'

/** Of an authenticator that does not tell its model. */
const noAaguid = '00000000-0000-0000-0000-000000000000'

/** Whether a security key made this credential for this challenge. */
export async function checkRegistration(
  { config }: AuthContext,
  { id: factorId }: Factor,
  { challenge }: CountedAttempt,
  response: ReturnType<typeof readRegistration>,
): Promise<RightProof | null> {
  const { challenge_hash: hash } = challenge
  if (hash === null) return null
  const made = await verifyRegistration(config.webAuthn, hash, response, 'security key')
  return (
    made && {
      factorId,
      change: {
        credential_id: made.id,
        public_key: made.publicKey,
        sign_count: made.signCount,
        transports: made.transports,
        attestation_format: made.attestationFormat,
        web_authn_aaguid: made.aaguid === noAaguid ? null : made.aaguid,
        backup_eligible: made.backupEligible,
        backed_up: made.backedUp,
      },
    }
  )
}

/** Whether a security key of the user signed this challenge. */
export async function checkAssertion(
  { config }: AuthContext,
  userId: string,
  { challenge, credential }: CountedAttempt,
  response: ReturnType<typeof readAssertion>,
): Promise<RightProof | null> {
  const { challenge_hash: hash } = challenge
  if (hash === null || !credential) return null
  const known = {
    id: credential.credential_id,
    userId,
    publicKey: credential.public_key,
    signCount: credential.sign_count,
    backupEligible: credential.backup_eligible,
  }
  const used = await verifyAssertion(config.webAuthn, hash, response, known, 'security key')
  return (
    used && {
      factorId: credential.factor_id,
      change: { sign_count: used.signCount, backed_up: used.backedUp },
    }
  )
}
