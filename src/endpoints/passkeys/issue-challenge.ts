import type { AuthContext } from '../../accounts/auth-context.ts'
import type { WebAuthnChallengeRow } from '../../accounts/passkeys/passkey-row.ts'
import { hashChallenge, newChallenge } from '../../credentials/webauthn/challenge.ts'
import type { NewRow } from '../../platform/sql/tables.ts'

/** Makes a challenge, and the row that remembers it. */
export function issueChallenge(
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
