import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { ImportedToken as ImportedTokenEntity } from './imported-session.entity.ts'
import type { SessionRow } from './session.ts'

/** Table columns of `ImportedToken`. */
export type ImportedTokenRow = RowOf<ImportedTokenEntity>

export const personalSessions = personalTable<SessionRow>()({
  name: 'sessions',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    aal: exported,
    amr: exported,
    tag: exported,
    ip: exported,
    opened_ip: exported,
    user_agent: exported,
    oauth_client_id: exported,
    scopes: exported,
    oauth_resource: exported,
    oauth_key: exported,
    refresh_token_counter: exported,
    created_at: exported,
    refreshed_at: exported,
    not_after: exported,
    revoked_at: exported,
    factor_id: exported,
  },
  erasure: { rows: 'deleted' },
})

export const personalImportedTokens = personalTable<ImportedTokenRow>()({
  name: 'imported_tokens',
  belongsBy: { parent: personalSessions, column: 'session_id' },
  key: 'token_hash',
  columns: {
    session_id: exported,
    token_hash: withheld('a hash of a secret that still renews the session'),
  },
  erasure: { rows: 'deleted' },
})
