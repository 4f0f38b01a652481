import { performAct } from '../../accounts/acts/record-act.ts'
import { findRecordedTraits } from '../../accounts/audit/audit-entries.sql.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { isConfiguredProvider } from '../../credentials/external/open-providers.ts'
import { jsonReader } from '../../credentials/external/protocol/json-reader.ts'
import { openColumn } from '../../import/gotrue/column-encryption.ts'
import type { ImportPart, PartSource } from '../../import/gotrue/import-part.ts'
import type { Loss } from '../../import/gotrue/import-report.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { rejectionOf } from '../../platform/errors/rejection.ts'
import type { NewRow } from '../../platform/sql/tables.ts'
import {
  findProviderSlot,
  insertCustomProvider,
  maxCustomProviders,
} from './custom-providers.sql.ts'
import { checkDiscoveryDocument, readDiscoveryDocument } from './discovery.ts'
import { requireIdentifier } from './identifier.ts'
import { newProviderRow } from './manage-custom-providers.ts'
import {
  type ProviderInput,
  type ProviderSettings,
  readClientSecret,
  readProvider,
  requirePublicUrls,
} from './read-custom-provider.ts'

type Text = string | null | undefined

/** A provider of GoTrue, in PostgreSQL's JSON. */
interface ProviderRecord {
  id: string
  provider_type: string
  identifier: string
  name: string
  client_id: string
  /** Encrypted, if the source encrypts columns. */
  client_secret: string
  acceptable_client_ids?: unknown[] | null
  scopes?: unknown[] | null
  pkce_enabled?: boolean | null
  attribute_mapping?: Record<string, unknown> | null
  custom_claims_allowlist?: unknown[] | null
  authorization_params?: Record<string, unknown> | null
  enabled?: boolean | null
  email_optional?: boolean | null
  skip_nonce_check?: boolean | null
  issuer?: Text
  discovery_url?: Text
  cached_discovery?: Record<string, unknown> | null
  authorization_url?: Text
  token_url?: Text
  userinfo_url?: Text
  jwks_uri?: Text
}

type ProviderRow = Omit<NewRow<'custom_providers'>, 'slot'>

/**
 * Imports the custom providers of GoTrue. The discovery document is the one that the source has
 * stored, or that of the issuer. Providers that exist here stay as they are, and those that were
 * deleted here are not added again, as long as the audit log contains the deletion.
 */
export const importCustomProviders: ImportPart = {
  read: async (ctx, source) => {
    const read: (ProviderRow | Loss)[] = []
    for (const record of await findSourceProviders(source)) {
      read.push(await readProviderRow(ctx, source, record))
    }
    return async (tx, admin) => {
      const losses = read.filter((one) => 'reason' in one)
      const deleted = await findRecordedTraits(tx.sql, {
        action: 'custom_provider_deleted',
        trait: 'provider',
        values: read.flatMap((one) => ('reason' in one ? [] : [one.identifier])),
      })
      let added = 0
      for (const row of read) {
        if ('reason' in row || deleted.has(row.identifier)) continue
        const { identifier } = row
        const most = tx.config.customOauth.maxProviders || maxCustomProviders
        const { isTaken, slot } = await findProviderSlot(tx.sql, { identifier, most })
        if (isTaken) continue
        if (slot === null) {
          losses.push(lossOf(identifier, 'too many'))
          continue
        }
        const audit = {
          action: 'custom_provider_created' as const,
          actorRole: admin.role,
          traits: { provider: identifier },
        }
        const isStored = await performAct(tx, { audit }, (rows) =>
          insertCustomProvider(tx.sql, { ...row, slot }, rows),
        )
        if (isStored) added += 1
      }
      return { added: { customProviders: added }, losses }
    }
  },
}

const lossOf = (identifier: string, reason: string): Loss => ({
  userId: null,
  what: 'custom provider',
  id: identifier,
  reason,
})

async function findSourceProviders({ connection, layout }: PartSource): Promise<ProviderRecord[]> {
  if (!layout.has('custom_oauth_providers')) return []
  const rows = await connection.query<{ provider: ProviderRecord }>(
    `select to_jsonb(p) as provider from ${layout.table('custom_oauth_providers')} p
     order by p.created_at, p.id`,
    [],
  )
  return rows.map(({ provider }) => provider)
}

/** Checks a provider as its registration does. */
async function readProviderRow(
  ctx: AuthContext,
  { keys }: PartSource,
  record: ProviderRecord,
): Promise<ProviderRow | Loss> {
  const { identifier } = record
  if (typeof identifier !== 'string') return lossOf('', 'identifier not permitted')
  if (isConfiguredProvider(ctx.config, identifier)) return lossOf(identifier, 'configured here')
  if (typeof record.client_secret !== 'string') return lossOf(identifier, 'unknown secret')
  const secret = openColumn(keys, record.id, record.client_secret)
  try {
    const settings = readProvider(inputOf(record), null)
    await requirePublicUrls(settings, null)
    return newProviderRow(ctx, {
      identifier: requireIdentifier(identifier),
      settings,
      clientSecret: readClientSecret(secret),
      document: await documentOf(ctx, settings, record.cached_discovery),
    })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return lossOf(identifier, `${rejectionOf(error).field ?? 'settings'} not permitted`)
  }
}

async function documentOf(
  ctx: AuthContext,
  { issuer, discoveryUrl }: ProviderSettings,
  cached: Record<string, unknown> | null | undefined,
): Promise<Record<string, unknown> | null> {
  if (issuer === null) return null
  try {
    return checkDiscoveryDocument(jsonReader(cached ?? null), 'issuer', issuer)
  } catch {
    return readDiscoveryDocument(ctx, { issuer, discoveryUrl })
  }
}

const inputOf = (record: ProviderRecord): ProviderInput => ({
  providerType: record.provider_type,
  identifier: record.identifier,
  name: record.name,
  clientId: record.client_id,
  acceptableClientIds: record.acceptable_client_ids ?? undefined,
  scopes: record.scopes ?? undefined,
  pkceEnabled: record.pkce_enabled ?? undefined,
  attributeMapping: record.attribute_mapping ?? undefined,
  customClaimsAllowlist: record.custom_claims_allowlist ?? undefined,
  authorizationParams: record.authorization_params ?? undefined,
  enabled: record.enabled ?? undefined,
  emailOptional: record.email_optional ?? undefined,
  skipNonceCheck: record.skip_nonce_check ?? undefined,
  issuer: record.issuer ?? undefined,
  discoveryUrl: record.discovery_url ?? undefined,
  authorizationUrl: record.authorization_url ?? undefined,
  tokenUrl: record.token_url ?? undefined,
  userinfoUrl: record.userinfo_url ?? undefined,
  jwksUri: record.jwks_uri ?? undefined,
})
