import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { AuthorizationCodeRow } from './authorization-code.ts'
import type { OneTimeTokenRow } from './one-time-token-row.ts'

const secret = 'a hash of a secret that still opens the account'

export const personalOneTimeTokens = personalTable<OneTimeTokenRow>()({
  name: 'one_time_tokens',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    purpose: exported,
    requested_by: exported,
    sent_to: exported,
    credential_id: exported,
    code_challenge: exported,
    code_challenge_method: exported,
    expires_at: exported,
    created_at: exported,
    requested_from: exported,
    audience: exported,
    token_hash: withheld(secret),
    code_hash: withheld(secret),
  },
  erasure: { rows: 'deleted' },
})

export const personalAuthorizationCodes = personalTable<AuthorizationCodeRow>()({
  name: 'authorization_codes',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    method: exported,
    proved_at: exported,
    sealed_tokens: withheld('tokens of a provider, which only the client with the code receives'),
    code_challenge: exported,
    code_challenge_method: exported,
    expires_at: exported,
    created_at: exported,
    code_hash: withheld(secret),
  },
  erasure: { rows: 'deleted' },
})
