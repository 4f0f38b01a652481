import { exported, personalTable, withheld } from '../sql/personal-table.ts'
import type { NewFactorRow } from './insert-factor.sql.ts'
import type { NewChallengeRow } from './store-challenge.sql.ts'

export interface FactorRow extends NewFactorRow {
  last_used_step: number | null
  web_authn_credential: Record<string, unknown> | null
  web_authn_aaguid: string | null
  last_web_authn_challenge: Record<string, unknown> | null
  last_challenged_at: string | null
}

export interface ChallengeRow extends NewChallengeRow {
  spent_at: string | null
}

export const personalFactors = personalTable<FactorRow>()({
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
    web_authn_credential: exported,
    web_authn_aaguid: exported,
    last_web_authn_challenge: exported,
    last_challenged_at: exported,
    created_at: exported,
    updated_at: exported,
    secret: withheld('sealed: what the app of the person makes its codes from'),
  },
  erasure: { rows: 'deleted' },
})

export const personalChallenges = personalTable<ChallengeRow>()({
  name: 'challenges',
  belongsBy: { parent: personalFactors, column: 'factor_id' },
  columns: {
    id: exported,
    factor_id: exported,
    attempts: exported,
    ip: exported,
    expires_at: exported,
    spent_at: exported,
    created_at: exported,
    code_hash: withheld('a hash of a code that still proves the factor'),
  },
  erasure: { rows: 'deleted' },
})
