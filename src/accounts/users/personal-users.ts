import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { ProviderTokenRow } from './provider-token.ts'
import type { ImportedUser as ImportedUserEntity } from './user.entity.ts'
import { exportDecisions, type StoredUserRow } from './user-columns.ts'
import type { IdentityRow } from './user-row.ts'

export const personalUsers = personalTable<StoredUserRow>()({
  name: 'users',
  belongsBy: { ids: ['id'] },
  columns: exportDecisions,
  erasure: { rows: 'deleted' },
})

export const personalIdentities = personalTable<IdentityRow>()({
  name: 'identities',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    provider: exported,
    subject: exported,
    identity_data: exported,
    email: withheld('a copy of the address in `identity_data`'),
    last_sign_in_at: exported,
    suspended_at: exported,
    created_at: exported,
    updated_at: exported,
  },
  erasure: { rows: 'deleted' },
})

const token = 'sealed: a token that opens the account of the person at another service'

export const personalProviderTokens = personalTable<ProviderTokenRow>()({
  name: 'provider_tokens',
  belongsBy: { parent: personalIdentities, column: 'identity_id' },
  columns: {
    identity_id: exported,
    scopes: exported,
    expires_at: exported,
    created_at: exported,
    updated_at: exported,
    sealed_access_token: withheld(token),
    sealed_refresh_token: withheld(token),
    renewing_until: withheld(
      'the end of a lease of the service, which contains no data of the user',
    ),
  },
  erasure: { rows: 'deleted' },
})

type ImportedUserRow = RowOf<ImportedUserEntity>

/**
 * The records of imported users. They outlast the user, or the next run would import the user
 * again.
 */
export const personalImports = personalTable<ImportedUserRow>()({
  name: 'imported_users',
  belongsBy: { ids: ['id'] },
  columns: {
    id: exported,
    updated_at: exported,
    fingerprint: withheld('a digest of the imported data, from which no data can be derived'),
  },
  erasure: {
    rows: 'kept',
    cleared: ['fingerprint'],
    kept: {
      id: 'a random id of the other service; no other row refers to it',
      updated_at: 'the time of a change of a deleted row',
    },
  },
})
