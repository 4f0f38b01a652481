import type { AuthContext } from '../../accounts/auth-context.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { AuthorizationRequest, AuthorizationStatus } from './authorization-request.ts'
import type { OauthClient } from './oauth-client.ts'

/**
 * The number of requests of one client that no user has opened, beyond which the oldest are deleted.
 * Between two deletions a few hundred more may be stored: see {@link deletesSurplus}.
 */
export const maxUnopened = 10_000

const insert = statement<
  {
    authorizationRows: Rows<'oauth_authorizations'>
    clientId: string
    kept: number
    deletesSurplus: boolean
  },
  { id: string }
>(
  'insert_oauth_authorization',
  (sql, $) => `
    with surplus as (
      delete from ${sql.table('oauth_authorizations')} where id in (
        select id from ${sql.table('oauth_authorizations')}
        where ${$.deletesSurplus}::boolean and client_id = ${$.clientId} and user_id is null
        order by created_at desc, id offset ${$.kept}::int limit 500 for update skip locked)
    )
    ${sql.insertRows('oauth_authorizations', $.authorizationRows)}
    on conflict (user_code_hash) do nothing returning id`,
)

/**
 * Returns whether a request deletes surplus ones: one in 64, by its random id. To find them takes
 * as long as many insertions, so that a client with many requests would delay all others.
 */
export const deletesSurplus = (id: string): boolean => Number.parseInt(id.slice(0, 2), 16) < 4

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
    kept: maxUnopened - 1,
    deletesSurplus: deletesSurplus(id),
  })
  return inserted.length > 0
}
