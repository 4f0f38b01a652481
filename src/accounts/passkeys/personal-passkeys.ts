import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { PasskeyRow, WebAuthnChallengeRow } from './passkeys.sql.ts'

export const personalPasskeys = personalTable<PasskeyRow>()({
  name: 'passkeys',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    credential_id: exported,
    public_key: exported,
    sign_count: exported,
    transports: exported,
    attestation_format: exported,
    aaguid: exported,
    backup_eligible: exported,
    backed_up: exported,
    friendly_name: exported,
    created_at: exported,
    updated_at: exported,
    last_used_at: exported,
    suspended_at: exported,
  },
  erasure: { rows: 'deleted' },
})

/**
 * The challenges of users who are registering a passkey. A sign-in has no user before its response.
 */
export const personalWebAuthnChallenges = personalTable<WebAuthnChallengeRow>()({
  name: 'web_authn_challenges',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    session_id: exported,
    purpose: exported,
    expires_at: exported,
    created_at: exported,
    challenge_hash: withheld('a hash of the value that a new passkey has to sign'),
  },
  erasure: { rows: 'deleted' },
})
