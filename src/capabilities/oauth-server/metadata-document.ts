import type { AuthContext } from '../../accounts/auth-context.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import { plainJson } from '../../platform/http/plain-json.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { clientDocumentsOf } from './client-documents.ts'
import { clientFields } from './client-fields.ts'
import { toClient } from './client-row.ts'
import { deleteSurplusClients, surplusClients } from './clients.sql.ts'
import type { SurplusValues } from './delete-surplus.sql.ts'
import { columnsOfMetadata } from './manage-clients.ts'
import type { OauthClient } from './oauth-client.ts'
import { clientNotFound } from './oauth-errors.ts'
import type { OauthClientRow } from './personal-oauth.ts'
import { readNewClient } from './read-client-metadata.ts'
import { maxUriLength } from './redirect-uris.ts'

/**
 * How long the client of a document is stored after its last authorization request if no user
 * grants it access. It is longer than the lifetime of a request can be.
 */
const unusedLifetimeMs = 2 * 24 * 60 * 60 * 1000

/**
 * Returns whether a client id may be the URL of a metadata document.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §3
 */
export function isDocumentUrl(clientId: string): boolean {
  const url = /^https:\/\/[!-~]+$/.test(clientId) ? URL.parse(clientId) : null
  if (!url || clientId.length > maxUriLength || /[#\\]/.test(clientId)) return false
  const path = /^https:\/\/[^/?]+(\/[^?]*)/.exec(clientId)?.[1] ?? ''
  const hasDots = path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  return url.username === '' && url.password === '' && path.length > 1 && !hasDots
}

interface UpsertParameters {
  clientId: string
  clientRows: Rows<'oauth_clients'>
  surplus: SurplusValues
}

const upsert = statement<UpsertParameters>(
  'store_oauth_client_of_document',
  (sql, $) => `
    with surplus as (
      ${deleteSurplusClients(sql, 'document', $)}
    )
    ${sql.insertRows('oauth_clients', $.clientRows)}
    on conflict (id) do update set expires_at = case when ${sql.table('oauth_clients')}.expires_at is null then null
        else excluded.expires_at end, client_type = excluded.client_type,
      auth_method = excluded.auth_method, redirect_uris = excluded.redirect_uris,
      grant_types = excluded.grant_types, client_name = excluded.client_name,
      client_uri = excluded.client_uri, logo_uri = excluded.logo_uri, jwks = excluded.jwks,
      jwks_uri = excluded.jwks_uri, updated_at = excluded.updated_at`,
)

/**
 * Returns the client that its metadata document describes.
 *
 * @throws AuthError `oauth_client_not_found` (400) where the document is unavailable or invalid.
 *   The log contains the reason.
 */
export async function requireDocumentClient(
  ctx: Pick<AuthContext, 'clock' | 'config' | 'logger' | 'random' | 'clientFetch' | 'sql'>,
  clientId: string,
): Promise<OauthClient> {
  const { clock, logger, random, sql } = ctx
  try {
    const document = await clientDocumentsOf(ctx).read(clock, clientId)
    const row = clientRowOf(ctx, clientId, document)
    await sql.query(upsert, {
      clientId,
      clientRows: rowsOf('oauth_clients', row),
      surplus: surplusClients(random.hex(1)),
    })
    return toClient(row)
  } catch (error) {
    if (Object(error).status >= 500) throw error
    logger.warn({ reason: String(Object(error).message) }, 'metadata document of a client rejected')
    throw clientNotFound(400)
  }
}

function clientRowOf(
  { config, clock }: Pick<AuthContext, 'config' | 'clock'>,
  clientId: string,
  document: Record<string, unknown>,
): OauthClientRow {
  const { client_id: id, client_name: name, token_endpoint_auth_method: method } = document
  if (id !== clientId) throw new Error('client_id differs from the URL of the document')
  if (typeof name !== 'string' || name === '') throw new Error('client_name is missing')
  if ('client_secret' in document) throw new Error('a document cannot contain a secret')
  if (method !== undefined && method !== 'none' && method !== 'private_key_jwt') {
    throw new Error('the authentication method requires a shared secret')
  }
  const input = checkBody(plainJson({ ...document }), clientFields)
  const metadata = readNewClient(
    { config, isOperator: false },
    { ...input, clientType: undefined, tokenEndpointAuthMethod: method ?? 'none' },
  )
  const now = clock.now()
  return {
    id: clientId,
    registration_type: 'document',
    secret_hash: null,
    ...columnsOfMetadata(metadata),
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    expires_at: new Date(now.getTime() + unusedLifetimeMs).toISOString(),
  }
}
