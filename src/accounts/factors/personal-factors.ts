import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { Challenge as ChallengeEntity } from './challenge.entity.ts'
import type { FactorEntity } from './factor.entity.ts'
import type { RecoveryCode as RecoveryCodeEntity } from './recovery-code.entity.ts'

export type ExportedFactorRow = RowOf<FactorEntity>

export type ChallengeRow = RowOf<ChallengeEntity>

export type RecoveryCodeRow = RowOf<RecoveryCodeEntity>

export const personalFactors = personalTable<ExportedFactorRow>()({
  name: 'factors',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    factor_type: exported,
    status: exported,
    friendly_name: exported,
    phone: exported,
    last_used_step: exported,
    credential_id: exported,
    public_key: exported,
    sign_count: exported,
    transports: exported,
    attestation_format: exported,
    web_authn_aaguid: exported,
    backup_eligible: exported,
    backed_up: exported,
    added_without_proof_at: exported,
    last_challenged_at: exported,
    created_at: exported,
    updated_at: exported,
    secret: withheld('sealed: the secret of an app, or the key of a set of recovery codes'),
  },
  erasure: { rows: 'deleted' },
})

export const personalChallenges = personalTable<ChallengeRow>()({
  name: 'challenges',
  belongsBy: { parent: personalFactors, column: 'factor_id' },
  columns: {
    id: exported,
    factor_id: exported,
    session_id: exported,
    attempts: exported,
    ip: exported,
    expires_at: exported,
    spent_at: exported,
    created_at: exported,
    code_hash: withheld('a hash of a code that still proves the factor'),
    challenge_hash: withheld('a hash of the value that a security key has to sign'),
  },
  erasure: { rows: 'deleted' },
})

export const personalRecoveryCodes = personalTable<RecoveryCodeRow>()({
  name: 'recovery_codes',
  belongsBy: { parent: personalFactors, column: 'factor_id' },
  columns: {
    id: exported,
    factor_id: exported,
    spent_at: exported,
    created_at: exported,
    code_hash: withheld('a hash of a code that still proves the factor'),
  },
  erasure: { rows: 'deleted' },
})
