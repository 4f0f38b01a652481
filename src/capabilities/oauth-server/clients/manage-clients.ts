import { isDeepStrictEqual } from 'node:util'
import { performAct } from '../../../accounts/acts/record-act.ts'
import type { AuditEvent } from '../../../accounts/audit/audit-row.ts'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { Admin } from '../../../accounts/callers/authenticate-admin.ts'
import { conflict, validationFailed } from '../../../platform/errors/request-errors.ts'
import { sha256Hex } from '../../../platform/kit/digest.ts'
import type { Random } from '../../../platform/kit/random.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import type { OauthClientRow } from '../personal-oauth.ts'
import { clientNotFound, requireOauthServer } from '../protocol/oauth-errors.ts'
import type { ClientInput } from './client-fields.ts'
import { toClient } from './client-row.ts'
import {
  deleteClient,
  endSessionsOfDeletedClient,
  findOauthClient,
  insertClient,
  listClients,
  listClientsByKey,
  updateClient,
} from './clients.sql.ts'
import type { OauthClient, OauthClientWithSecret } from './oauth-client.ts'
import { type ClientMetadata, readChangedClient, readNewClient } from './read-client-metadata.ts'
import { withdrawOtherScopes } from './withdraw-scopes.sql.ts'

/** How long a client that registered itself may stay unused. */
const unusedLifetimeMs = 30 * 24 * 60 * 60 * 1000

/**
 * Creates a client.
 *
 * @param admin the operator; null for a client that registers itself.
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400), naming the field.
 */
export async function createClient(
  ctx: AuthContext,
  admin: Admin | null,
  input: ClientInput,
): Promise<OauthClientWithSecret> {
  requireOauthServer(ctx)
  const metadata = readNewClient({ config: ctx.config, isOperator: admin !== null }, input)
  const now = ctx.clock.now()
  const id = ctx.random.uuid()
  const clientSecret = hasSecret(metadata) ? newSecret(ctx.random) : null
  const row: OauthClientRow = {
    id,
    registration_type: admin ? 'manual' : 'dynamic',
    secret_hash: clientSecret === null ? null : hashOfSecret(clientSecret),
    ...columnsOfMetadata(metadata),
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    expires_at: admin ? null : new Date(now.getTime() + unusedLifetimeMs).toISOString(),
  }
  const act = { audit: about(id, admin, 'oauth_client_created') }
  await performAct(ctx, act, (rows) => insertClient(ctx.sql, row, rows))
  return { ...toClient(row), clientSecret }
}

/**
 * Returns a page of the clients, the newest first, and their number.
 *
 * @throws AuthError `feature_disabled` (404).
 */
export async function listAllClients(
  ctx: AuthContext,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ clients: OauthClient[]; total: number }> {
  requireOauthServer(ctx)
  const found = await listClients(ctx.sql, {
    limit: perPage,
    offset: (page - 1) * perPage,
    now: ctx.clock.now(),
  })
  return { clients: found.clients.map(toClient), total: found.total }
}

/**
 * Returns the clients after a position in the list, the newest first.
 *
 * @param cursor the `nextCursor` of the page before; undefined for the first page.
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400) for another cursor.
 */
export async function listClientsAfter(
  ctx: AuthContext,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<{ clients: OauthClient[]; nextCursor: string | null }> {
  requireOauthServer(ctx)
  const rows = await listClientsByKey(ctx.sql, {
    after: cursor === undefined ? null : readCursor(cursor),
    limit: limit + 1,
    now: ctx.clock.now(),
  })
  const clients = rows.slice(0, limit).map(toClient)
  const last = rows.length > limit ? clients.at(-1) : undefined
  const nextCursor = last ? `${last.createdAt.getTime()}_${last.clientId}` : null
  return { clients, nextCursor }
}

function readCursor(cursor: string): { createdAt: Date; id: string } {
  const [, time = '', id = ''] = /^(\d{1,15})_(.{1,100})$/.exec(cursor) ?? []
  if (!isUuid(id)) throw validationFailed('cursor: is not one of this list')
  return { createdAt: new Date(Number(time)), id }
}

/**
 * Returns a client.
 *
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400) for an id that is none,
 *   `oauth_client_not_found` (404).
 */
export const getClient = async (ctx: AuthContext, clientId: string): Promise<OauthClient> =>
  toClient(await requireClientRow(ctx, clientId))

/**
 * Changes the metadata of a client. Members that are absent stay as they are. Scopes that the
 * client may no longer have are withdrawn from its grants. Of the client of a metadata document
 * only the scopes and the back-channel logout can be changed.
 *
 * @throws AuthError as {@link getClient}, `validation_failed` (400), naming the field, `conflict`
 *   (409) where another request changes it at the same time.
 */
export async function changeClient(
  ctx: AuthContext,
  admin: Admin,
  clientId: string,
  input: ClientInput,
): Promise<OauthClient> {
  const current = await requireClientRow(ctx, clientId)
  const needs = { config: ctx.config, isOperator: current.registration_type === 'manual' }
  // The wire form of a client without a name contains its id, which may be sent back.
  const named = input.clientName === current.id ? { ...input, clientName: '' } : input
  const metadata = readChangedClient(needs, named, metadataOf(current))
  const columns = columnsOfMetadata(metadata)
  if (current.registration_type === 'document') requireUnchangedDocument(current, columns)
  const saved = await saveClient(ctx, admin, current, {
    ...columns,
    // A secret that was replaced by another method must not become valid with the old one again.
    ...(!(hasSecret(metadata) && hasSecret(metadataOf(current))) && { secret_hash: null }),
  })
  // Also where nothing changed: a repeated request completes a withdrawal that failed.
  if (saved.allowed_scopes !== null) {
    await withdrawOtherScopes(ctx.sql, current.id, saved.allowed_scopes)
  }
  return toClient(saved)
}

/** The columns that operators set also for the client of a metadata document. */
const operatorColumns = [
  'allowed_scopes',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
] as const

export type OperatorColumn = (typeof operatorColumns)[number]

/** Rejects a change of a column that the metadata document of a client determines. */
function requireUnchangedDocument(
  current: OauthClientRow,
  columns: ReturnType<typeof columnsOfMetadata>,
): void {
  const stored = columnsOfMetadata(metadataOf(current))
  const names = Object.keys(columns) as (keyof typeof columns)[]
  const changed = names.find(
    (name) =>
      !operatorColumns.some((own) => own === name) &&
      !isDeepStrictEqual(columns[name], stored[name]),
  )
  if (changed === undefined) return
  const field = changed === 'auth_method' ? 'token_endpoint_auth_method' : changed
  throw validationFailed(`${field}: is determined by the metadata document of the client`)
}

/**
 * Replaces the secret of a client. The previous one is rejected at once.
 *
 * @throws AuthError as {@link getClient}, `validation_failed` (400) for a client without a secret.
 */
export async function regenerateClientSecret(
  ctx: AuthContext,
  admin: Admin,
  clientId: string,
): Promise<OauthClientWithSecret> {
  const current = await requireClientRow(ctx, clientId)
  if (!hasSecret(metadataOf(current))) {
    throw validationFailed('Cannot regenerate secret for public client')
  }
  const clientSecret = newSecret(ctx.random)
  const secret_hash = hashOfSecret(clientSecret)
  const saved = await saveClient(ctx, admin, current, { secret_hash })
  return { ...toClient(saved), clientSecret }
}

/**
 * Deletes a client. Its sessions and the consents of users end.
 *
 * @throws AuthError as {@link getClient}.
 */
export async function removeClient(
  ctx: AuthContext,
  admin: Admin,
  clientId: string,
): Promise<void> {
  requireOauthServer(ctx)
  const id = requireClientId(clientId)
  const act = { audit: about(id, admin, 'oauth_client_deleted') }
  const existed = await performAct(ctx, act, (rows) => deleteClient(ctx.sql, id, rows))
  if (!existed) throw clientNotFound()
  await endSessionsOfDeletedClient(ctx.sql, id)
}

/** Returns the hash under which a secret is stored. Secrets are random, so it needs no key. */
export const hashOfSecret = (secret: string): string => sha256Hex(secret)

/** Returns a secret of 256 random bits, in base64url. */
export const newSecret = (random: Pick<Random, 'hex'>): string =>
  Buffer.from(random.hex(32), 'hex').toString('base64url')

async function requireClientRow(ctx: AuthContext, clientId: string): Promise<OauthClientRow> {
  requireOauthServer(ctx)
  const found = await findOauthClient(ctx.sql, requireClientId(clientId), ctx.clock.now())
  if (!found) throw clientNotFound()
  return found
}

/** Operators identify clients by their UUID, or the URL of their metadata document. */
export function requireClientId(clientId: string): string {
  if (isUuid(clientId as unknown)) return clientId.toLowerCase()
  if (/^https:\/\/[!-~]+$/.test(clientId) && clientId.length <= 2048) return clientId
  throw validationFailed('client_id: invalid client_id format')
}

async function saveClient(
  ctx: AuthContext,
  admin: Admin,
  current: OauthClientRow,
  changes: Partial<OauthClientRow>,
): Promise<OauthClientRow> {
  // The version of the row: PostgreSQL stores microseconds. With a document it is also the time at
  // which the document was read, which must not seem later.
  const next = new Date(current.updated_at).getTime() + 1
  const isOfDocument = current.registration_type === 'document'
  const at = isOfDocument ? next : Math.max(ctx.clock.now().getTime(), next)
  const act = { audit: about(current.id, admin, 'oauth_client_updated') }
  const saved = await performAct(ctx, act, (rows) =>
    updateClient(
      ctx.sql,
      current.id,
      {
        // A client that an operator has changed stays: a later registration would lack the changes.
        changes: { ...changes, expires_at: null, updated_at: new Date(at).toISOString() },
        expected: current.updated_at,
      },
      rows,
    ),
  )
  if (!saved) throw conflict('Another request changed the client at the same time')
  return saved
}

const about = (
  clientId: string,
  admin: Admin | null,
  action: 'oauth_client_created' | 'oauth_client_updated' | 'oauth_client_deleted',
): AuditEvent => ({
  action,
  ...(admin && { actorRole: admin.role }),
  traits: { client_id: clientId },
})

const hasSecret = ({ authMethod }: Pick<ClientMetadata, 'authMethod'>): boolean =>
  authMethod.startsWith('client_secret')

/** Returns the columns of the metadata of a client. */
export const columnsOfMetadata = (metadata: ClientMetadata) => ({
  client_type: metadata.clientType,
  auth_method: metadata.authMethod,
  redirect_uris: metadata.redirectUris,
  grant_types: metadata.grantTypes,
  client_name: metadata.clientName,
  client_uri: metadata.clientUri,
  logo_uri: metadata.logoUri,
  jwks: metadata.jwks,
  jwks_uri: metadata.jwksUri,
  post_logout_redirect_uris: metadata.postLogoutRedirectUris,
  backchannel_logout_uri: metadata.backchannelLogoutUri,
  backchannel_logout_session_required: metadata.backchannelLogoutSessionRequired,
  allowed_scopes: metadata.allowedScopes,
})

const metadataOf = (row: OauthClientRow): ClientMetadata => {
  const { tokenEndpointAuthMethod: authMethod, ...client } = toClient(row)
  return { ...client, authMethod }
}
