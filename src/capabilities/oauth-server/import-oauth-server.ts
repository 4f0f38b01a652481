import { performAct } from '../../accounts/acts/record-act.ts'
import { findRecordedTraits } from '../../accounts/audit/audit-entries.sql.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { ImportPart, PartSource } from '../../import/gotrue/import-part.ts'
import type { Loss } from '../../import/gotrue/import-report.ts'
import { readSourceInstant } from '../../import/gotrue/source-records.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { rejectionOf } from '../../platform/errors/rejection.ts'
import { scopesIn } from '../../platform/kit/scopes-in.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { columnsOfMetadata } from './clients/manage-clients.ts'
import { readNewClient } from './clients/read-client-metadata.ts'
import { findClientIds, insertImportedClients, insertImportedConsents } from './import-oauth.sql.ts'
import type { OauthClientRow } from './personal-oauth.ts'

type Text = string | null | undefined

/** A client of GoTrue, in PostgreSQL's JSON. Older layouts lack the method. */
interface ClientRecord {
  id: string
  client_secret_hash: Text
  registration_type: Text
  client_type?: Text
  token_endpoint_auth_method?: Text
  /** Separated by commas, as the grant types are. */
  redirect_uris: Text
  grant_types: Text
  client_name: Text
  client_uri: Text
  logo_uri: Text
  created_at: string
}

interface ConsentRecord {
  id: string
  user_id: string
  client_id: string
  /** Separated by spaces. */
  scopes: string
  granted_at: string
}

/**
 * Imports the clients of GoTrue's OAuth server, with their secrets, and the consents of users.
 * Clients that exist here stay as they are, and those that were deleted here are not added again,
 * as long as the audit log contains the deletion. A consent is imported together with its user, so
 * that a later run does not restore one that the user has revoked here.
 */
export const importOauthServer: ImportPart = {
  read: async (ctx, source) => {
    const read = (await findSourceClients(source)).map((record) => readClientRow(ctx, record))
    const losses = read.filter(isLoss)
    const rows = read.filter((one): one is OauthClientRow => !isLoss(one))
    return async (tx, admin) => {
      const ids = rows.map(({ id }) => id)
      const existing = await findClientIds(tx.sql, ids)
      const deleted = await findRecordedTraits(tx.sql, {
        action: 'oauth_client_deleted',
        trait: 'client_id',
        values: ids,
      })
      const isNew = ({ id }: OauthClientRow) => !existing.has(id) && !deleted.has(id)
      // The dump of a source may lack its primary keys.
      const added = [...new Map(rows.filter(isNew).map((row) => [row.id, row])).values()]
      const audit = added.map(({ id }) => ({
        action: 'oauth_client_created' as const,
        actorRole: admin.role,
        traits: { client_id: id },
      }))
      if (added.length > 0) {
        await performAct(tx, { audit }, (acts) => insertImportedClients(tx.sql, added, acts))
      }
      return { added: { oauthClients: added.length }, losses }
    }
  },
  ofUsers: async (tx, source, userIds) => {
    const imported = new Set(userIds)
    const found = await findSourceConsents(source, userIds)
    // The source may return any user, such as one who has not been imported from it.
    const consents = found.filter(({ user_id }) => imported.has(user_id))
    const clientIds = await findClientIds(
      tx.sql,
      consents.map(({ client_id }) => client_id),
    )
    const rows = consents
      .filter(({ id, client_id }) => isUuid(id) && clientIds.has(client_id))
      .map(({ id, user_id, client_id, scopes, granted_at }) => ({
        id,
        user_id,
        client_id,
        granted_at: (readSourceInstant(granted_at) ?? tx.clock.now()).toISOString(),
        scopes: scopesIn(String(scopes ?? '')),
        resources: [],
      }))
    const stored = await insertImportedConsents(tx.sql, rows)
    const losses = consents
      .filter(({ id }) => !stored.has(id))
      .map(({ id, user_id, client_id }): Loss => {
        if (!isUuid(id))
          return { userId: user_id, what: 'OAuth consent', id: client_id, reason: 'unknown id' }
        const reason = clientIds.has(client_id) ? 'taken' : 'client not imported'
        return { userId: user_id, what: 'OAuth consent', id: client_id, reason }
      })
    return { added: { oauthConsents: stored.size }, losses }
  },
}

/** Returns the clients, except those that registered themselves and that no user granted access. */
async function findSourceClients({ connection, layout }: PartSource): Promise<ClientRecord[]> {
  if (!layout.has('oauth_clients', 'client_secret_hash')) return []
  const isGranted = layout.has('oauth_consents')
    ? `exists (select from ${layout.table('oauth_consents')} g
        where g.client_id = c.id and g.revoked_at is null)`
    : 'false'
  const rows = await connection.query<{ client: ClientRecord }>(
    `select to_jsonb(c) as client from ${layout.table('oauth_clients')} c
     where c.deleted_at is null and (c.registration_type::text <> 'dynamic' or ${isGranted})
     order by c.created_at, c.id`,
    [],
  )
  return rows.map(({ client }) => client)
}

async function findSourceConsents(
  { connection, layout }: PartSource,
  userIds: readonly string[],
): Promise<ConsentRecord[]> {
  if (!layout.has('oauth_consents') || userIds.length === 0) return []
  const rows = await connection.query<{ consent: ConsentRecord }>(
    `select to_jsonb(g) as consent from ${layout.table('oauth_consents')} g
     where g.revoked_at is null and g.user_id = any($1::uuid[]) order by g.id`,
    [userIds],
  )
  return rows.map(({ consent }) => consent)
}

const isLoss = (one: OauthClientRow | Loss): one is Loss => 'reason' in one

/**
 * Checks a client as a registration does. Its secret is stored by the same hash in both services.
 */
function readClientRow(
  { config, clock }: Pick<AuthContext, 'config' | 'clock'>,
  record: ClientRecord,
): OauthClientRow | Loss {
  const lost = (reason: string): Loss => {
    return { userId: null, what: 'OAuth client', id: record.id, reason }
  }
  // Other ids are the URLs of metadata documents.
  if (!isUuid(record.id)) return lost('unknown id')
  const isPublic = record.client_type === 'public'
  const secretHash = isPublic ? null : hexOf(record.client_secret_hash)
  if (!isPublic && secretHash === null) return lost('unknown secret')
  const isOperator = record.registration_type !== 'dynamic'
  try {
    const metadata = readNewClient(
      { config, isOperator },
      {
        clientType: isPublic ? 'public' : 'confidential',
        tokenEndpointAuthMethod: record.token_endpoint_auth_method ?? undefined,
        redirectUris: urisOf(record.redirect_uris),
        grantTypes: record.grant_types?.split(','),
        clientName: record.client_name ?? undefined,
        clientUri: record.client_uri ?? undefined,
        logoUri: record.logo_uri ?? undefined,
      },
    )
    return {
      id: record.id,
      registration_type: isOperator ? 'manual' : 'dynamic',
      secret_hash: secretHash,
      ...columnsOfMetadata(metadata),
      // The pages of a list continue after a time in milliseconds.
      created_at: (readSourceInstant(record.created_at) ?? clock.now()).toISOString(),
      updated_at: clock.now().toISOString(),
      expires_at: null,
    }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return lost(`${rejectionOf(error).field ?? 'metadata'} not permitted`)
  }
}

/** Separates URIs. One of them may contain a comma, but then no scheme follows. */
const urisOf = (list: Text): string[] | undefined => list?.split(/,(?=[a-z][a-z0-9+.-]*:)/i)

/** Returns a SHA-256 hash, which the source has in base64url, in hexadecimal. */
function hexOf(hash: Text): string | null {
  const bytes = Buffer.from(hash ?? '', 'base64url')
  return bytes.length === 32 ? bytes.toString('hex') : null
}
