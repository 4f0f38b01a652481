import type { AuthContext } from '../../../accounts/auth-context.ts'
import { statement } from '../../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../../platform/sql/tables.ts'
import type { OauthClient } from '../clients/oauth-client.ts'
import { deleteSurplus, deletesSurplus, type SurplusValues } from '../delete-surplus.sql.ts'
import type { AuthorizationRequest, AuthorizationStatus } from './authorization-request.ts'

/**
 * The number of requests of one client that no user has opened, beyond which the oldest are
 * deleted. Between two deletions a few hundred more may be stored: see {@link deletesSurplus}.
 */
export const maxUnopened = 10_000

const insert = statement<
  {
    authorizationRows: Rows<'oauth_authorizations'>
    clientId: string
    surplus: SurplusValues
  },
  { id: string }
>(
  'insert_oauth_authorization',
  (sql, $) => `
    with surplus as (
      ${deleteSurplus(
        sql,
        {
          table: 'oauth_authorizations',
          where: `client_id = ${$.clientId} and user_id is null`,
          age: 'created_at',
        },
        $.surplus,
      )}
    )
    ${sql.insertRows('oauth_authorizations', $.authorizationRows)}
    on conflict (user_code_hash) do nothing returning id`,
)

interface NewAuthorization {
  id: string
  client: Pick<OauthClient, 'clientId'>
  request: AuthorizationRequest
  status: AuthorizationStatus
  secretHash?: string
  userCodeHash?: string
  lifetimeSeconds?: number
}

/**
 * Stores an authorization request.
 *
 * @returns false where another request has the user code.
 */
export async function insertAuthorization(
  { sql, clock, config }: Pick<AuthContext, 'sql' | 'clock' | 'config'>,
  {
    id,
    client: { clientId },
    request,
    status,
    secretHash,
    userCodeHash,
    lifetimeSeconds = config.oauthServer.authorizationLifetimeSeconds,
  }: NewAuthorization,
): Promise<boolean> {
  const now = clock.now()
  const row = {
    id,
    client_id: clientId,
    status,
    request,
    secret_hash: secretHash ?? null,
    user_code_hash: userCodeHash ?? null,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + lifetimeSeconds * 1000).toISOString(),
  }
  const inserted = await sql.query(insert, {
    authorizationRows: rowsOf('oauth_authorizations', row),
    clientId,
    surplus: { kept: maxUnopened - 1, deletesSurplus: deletesSurplus(id) },
  })
  return inserted.length > 0
}
