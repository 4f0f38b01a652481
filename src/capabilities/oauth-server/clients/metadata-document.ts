import type { AuthContext } from '../../../accounts/auth-context.ts'
import { limitClient } from '../../../endpoints/http/limit-client.ts'
import { checkBody } from '../../../platform/http/check-input.ts'
import { plainJson } from '../../../platform/http/plain-json.ts'
import { isPlainHost } from '../../../platform/kit/plain-host.ts'
import { statement } from '../../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../../platform/sql/tables.ts'
import type { SurplusValues } from '../delete-surplus.sql.ts'
import type { OauthClientRow } from '../personal-oauth.ts'
import { clientNotFound } from '../protocol/oauth-errors.ts'
import {
  clientDocumentsOf,
  type DatedDocument,
  type ReadOptions,
  UnusableDocument,
} from './client-documents.ts'
import { clientFields } from './client-fields.ts'
import { toClient } from './client-row.ts'
import { deleteSurplusClients, findOauthClient, surplusClients } from './clients.sql.ts'
import { columnsOfMetadata, type OperatorColumn } from './manage-clients.ts'
import type { OauthClient } from './oauth-client.ts'
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
  if (
    !url ||
    !isPlainHost(url.hostname) ||
    clientId.length > maxUriLength ||
    /[#\\]/.test(clientId)
  )
    return false
  const path = /^https:\/\/[^/?]+(\/[^?]*)/.exec(clientId)?.[1] ?? ''
  const hasDots = path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  return url.username === '' && url.password === '' && path.length > 1 && !hasDots
}

interface UpsertParameters {
  clientId: string
  clientRows: Rows<'oauth_clients'>
  surplus: SurplusValues
}

/** The columns that the document determines. */
const documentColumns: Record<
  Exclude<keyof ReturnType<typeof columnsOfMetadata>, OperatorColumn>,
  true
> = {
  client_type: true,
  auth_method: true,
  redirect_uris: true,
  grant_types: true,
  client_name: true,
  client_uri: true,
  logo_uri: true,
  jwks: true,
  jwks_uri: true,
  post_logout_redirect_uris: true,
}

const upsert = statement<UpsertParameters, { client: OauthClientRow }>(
  'store_oauth_client_of_document',
  (sql, $) => `
    with surplus as (
      ${deleteSurplusClients(sql, 'document', $)}
    )
    ${sql.insertRows('oauth_clients', $.clientRows)}
    on conflict (id) do update set expires_at = case when ${sql.table('oauth_clients')}.expires_at is null then null
        else excluded.expires_at end, updated_at = excluded.updated_at,
      ${Object.keys(documentColumns)
        .map((column) => `${column} = excluded.${column}`)
        .join(', ')}
      where excluded.updated_at >= ${sql.table('oauth_clients')}.updated_at
    returning to_jsonb(${sql.table('oauth_clients')}.*) as client`,
)

/**
 * Counts a request with the document of an unknown client against the limit of its network: the
 * document may be at any host.
 *
 * @throws AuthError `over_request_rate_limit` (429, with `Retry-After`).
 */
export async function limitUnknownDocument(ctx: AuthContext, clientId: string): Promise<void> {
  if (clientDocumentsOf(ctx).isCached(clientId)) return
  const stored = await findOauthClient(ctx.sql, clientId, ctx.clock.now())
  if (!stored) await limitClient(ctx, 'oauth_document')
}

/**
 * Returns the client that its metadata document describes.
 *
 * @throws AuthError `oauth_client_not_found` (400) where the document is unavailable or invalid.
 *   The log contains the reason.
 */
export async function requireDocumentClient(
  ctx: DocumentContext,
  clientId: string,
): Promise<OauthClient> {
  const row = await readRow(ctx, clientId).catch((error: unknown) => {
    if (Object(error).status >= 500) throw error
    logRejection(ctx, error)
    throw clientNotFound(400)
  })
  return toClient(await storeClient(ctx, row))
}

/**
 * How long a stored client continues after the last reading of its document, while the document is
 * unavailable.
 */
const maxStaleMs = 24 * 60 * 60 * 1000

/**
 * Returns the client of a stored row as its metadata document describes it. A stale document is
 * read again. While it is unavailable, the client continues as stored for a day. A registered
 * client has no document and is returned as stored.
 *
 * @param isNew reads the document again in spite of its `max-age`, as where a key is unknown.
 * @returns null where the document is withdrawn or invalid, or was unavailable for too long. The
 *   log contains the reason.
 */
export async function refreshClient(
  ctx: DocumentContext,
  stored: OauthClientRow,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<OauthClient | null> {
  if (stored.registration_type !== 'document') return toClient(stored)
  const read = await readRow(ctx, stored.id, { isNew, remembersFailure: true }).catch(
    (error: unknown) => ({ error }),
  )
  const storedAt = new Date(stored.updated_at)
  if (!('error' in read)) {
    // Another instance may have read the document later than this one.
    const isLater = new Date(read.updated_at) > storedAt
    return toClient(isLater ? await storeClient(ctx, read) : stored)
  }
  const isTemporary = !(read.error instanceof UnusableDocument)
  const isRecent = ctx.clock.now().getTime() < storedAt.getTime() + maxStaleMs
  if (isTemporary && isRecent) return toClient(stored)
  if (Object(read.error).status >= 500) throw read.error
  logRejection(ctx, read.error)
  return null
}

/** Reads a document. @throws UnusableDocument also where it describes no valid client. */
async function readRow(
  ctx: DocumentContext,
  clientId: string,
  options?: ReadOptions,
): Promise<OauthClientRow> {
  const dated = await clientDocumentsOf(ctx).readDated(ctx.clock, clientId, options)
  try {
    return clientRowOf(ctx, clientId, dated)
  } catch (error) {
    throw new UnusableDocument(String(Object(error).message), { cause: error })
  }
}

type DocumentContext = Pick<
  AuthContext,
  'clock' | 'config' | 'logger' | 'random' | 'clientFetch' | 'sql'
>

/**
 * Stores a client, unless another instance has stored a later version of its document.
 *
 * @returns its row, which also contains what an operator set.
 * @throws AuthError `oauth_client_not_found` (400) where it was deleted at the same time.
 */
async function storeClient(
  { clock, random, sql }: Pick<AuthContext, 'clock' | 'random' | 'sql'>,
  row: OauthClientRow,
): Promise<OauthClientRow> {
  const [stored] = await sql.query(upsert, {
    clientId: row.id,
    clientRows: rowsOf('oauth_clients', row),
    surplus: surplusClients(random.hex(1)),
  })
  const later = stored ? stored.client : await findOauthClient(sql, row.id, clock.now())
  if (!later) throw clientNotFound(400)
  return later
}

const logRejection = ({ logger }: Pick<AuthContext, 'logger'>, error: unknown): void =>
  logger.warn({ reason: String(Object(error).message) }, 'metadata document of a client rejected')

function clientRowOf(
  { config, clock }: Pick<AuthContext, 'config' | 'clock'>,
  clientId: string,
  { document, readAt }: DatedDocument,
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
    updated_at: readAt.toISOString(),
    expires_at: new Date(now.getTime() + unusedLifetimeMs).toISOString(),
  }
}
