import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { OauthAuthorizationEntity } from './oauth-authorization.entity.ts'
import type { OauthClientEntity } from './oauth-client.entity.ts'
import type { OauthConsentEntity } from './oauth-consent.entity.ts'
import type { OauthSpentProofEntity } from './oauth-spent-proof.entity.ts'

export type OauthClientRow = RowOf<OauthClientEntity>
export type OauthConsentRow = RowOf<OauthConsentEntity>
export type OauthAuthorizationRow = RowOf<OauthAuthorizationEntity>

export const personalOauthConsents = personalTable<OauthConsentRow>()({
  name: 'oauth_consents',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    client_id: exported,
    scopes: exported,
    resources: exported,
    granted_at: exported,
    destinations: exported,
  },
  erasure: { rows: 'deleted' },
})

export const personalOauthAuthorizations = personalTable<OauthAuthorizationRow>()({
  name: 'oauth_authorizations',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    client_id: exported,
    user_id: exported,
    status: exported,
    created_at: exported,
    expires_at: exported,
    consent_id: withheld('the id of a row that the export contains'),
    request: withheld('values of the client that protect the request'),
    secret_hash: withheld('a hash of a secret of the client'),
    user_code_hash: withheld('a hash of the code that a device shows'),
    auth_time: withheld('the time of a session that the export contains'),
    session_id: withheld('the id of a session that the export contains'),
    polled_at: withheld('the time of a request of the client'),
  },
  erasure: { rows: 'deleted' },
})

/** Lists all columns of a table without personal data. */
const columnsOf = <Row>(names: Record<keyof Row, true>): string[] => Object.keys(names)

/** The columns of the tables without personal data. */
export const otherColumns = {
  oauth_clients: columnsOf<OauthClientRow>({
    id: true,
    client_type: true,
    registration_type: true,
    auth_method: true,
    secret_hash: true,
    redirect_uris: true,
    grant_types: true,
    client_name: true,
    client_uri: true,
    logo_uri: true,
    jwks: true,
    jwks_uri: true,
    post_logout_redirect_uris: true,
    backchannel_logout_uri: true,
    backchannel_logout_session_required: true,
    allowed_scopes: true,
    created_at: true,
    updated_at: true,
    expires_at: true,
  }),
  oauth_spent_proofs: columnsOf<RowOf<OauthSpentProofEntity>>({
    proof_hash: true,
    expires_at: true,
  }),
}
