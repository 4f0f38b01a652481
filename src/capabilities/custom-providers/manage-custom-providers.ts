import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuditEvent } from '../../accounts/audit/audit-row.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { isConfiguredProvider } from '../../credentials/external/open-providers.ts'
import { conflict, validationFailed } from '../../platform/errors/request-errors.ts'
import type { Page } from '../../platform/http/paging.ts'
import { seal } from '../../platform/kit/sealed-box.ts'
import type { CustomProvider } from './custom-provider.ts'
import {
  customProviderNotFound,
  identifierTaken,
  requireCustomProviders,
  tooManyCustomProviders,
} from './custom-provider-errors.ts'
import { type CustomProviderRow, clientSecretBox, toCustomProvider } from './custom-provider-row.ts'
import {
  deleteCustomProvider,
  findCustomProvider,
  findProviderSlot,
  insertCustomProvider,
  listCustomProviders,
  maxCustomProviders,
  updateCustomProvider,
} from './custom-providers.sql.ts'
import { readDiscoveryDocument } from './discovery.ts'
import { requireIdentifier } from './identifier.ts'
import {
  type ProviderInput,
  type ProviderSettings,
  readClientSecret,
  readProvider,
  readTypeFilter,
  requirePublicUrls,
} from './read-custom-provider.ts'

/** The number of attempts to take a slot, while concurrent requests take the same one. */
const maxAttempts = 20

/**
 * Registers a provider. The discovery document of an issuer is read and checked first.
 *
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400), naming the field,
 *   `conflict` (400) for an identifier that is taken, `over_custom_provider_quota` (400).
 */
export async function createCustomProvider(
  ctx: AuthContext,
  admin: Admin,
  input: ProviderInput,
): Promise<CustomProvider> {
  requireCustomProviders(ctx)
  const identifier = requireIdentifier(input.identifier)
  const settings = readProvider(input, null)
  const clientSecret = readClientSecret(input.clientSecret)
  if (isConfiguredProvider(ctx.config, identifier)) throw identifierTaken()
  await requirePublicUrls(settings, null)
  const document = await documentOf(ctx, settings)
  const row = newProviderRow(ctx, { identifier, settings, clientSecret, document })
  const most = ctx.config.customOauth.maxProviders || maxCustomProviders
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { isTaken, slot } = await findProviderSlot(ctx.sql, { identifier, most })
    if (isTaken) throw identifierTaken()
    if (slot === null) throw tooManyCustomProviders()
    const stored = { ...row, slot }
    const act = { audit: about(identifier, admin, 'custom_provider_created') }
    if (await performAct(ctx, act, (rows) => insertCustomProvider(ctx.sql, stored, rows))) {
      warnOfSharedCallback(ctx, stored)
      return toCustomProvider(stored)
    }
  }
  throw conflict('Other requests register providers at the same time')
}

/**
 * Warns of a provider that does not name itself in its responses and has no callback of its own: it
 * can obtain codes of another one there.
 *
 * @see RFC 9700 §4.4.2
 */
function warnOfSharedCallback(
  { config, logger }: Pick<AuthContext, 'config' | 'logger'>,
  { identifier, discovery_document: document }: CustomProviderRow,
): void {
  if (config.customOauth.ownCallbacks) return
  if (document?.['authorization_response_iss_parameter_supported'] === true) return
  logger.warn(
    { provider: identifier },
    'a registered provider shares its callback without announcing iss: set AUTH_CUSTOM_OAUTH_OWN_CALLBACKS, or register trusted providers only',
  )
}

interface NewProvider {
  identifier: string
  settings: ProviderSettings
  clientSecret: string
  document: Record<string, unknown> | null
}

/** Returns the row of a new provider, with its sealed secret and without a slot. */
export function newProviderRow(
  { clock, random, roots }: Pick<AuthContext, 'clock' | 'random' | 'roots'>,
  { identifier, settings, clientSecret, document }: NewProvider,
): Omit<CustomProviderRow, 'slot'> {
  const id = random.uuid()
  const now = clock.now().toISOString()
  return {
    id,
    identifier,
    provider_type: settings.providerType,
    ...columnsOf(settings),
    sealed_client_secret: seal(roots, clientSecretBox(id), clientSecret),
    discovery_document: document,
    created_at: now,
    updated_at: now,
  }
}

/**
 * Returns a page of the registered providers, the oldest first, and their number.
 *
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400) for an unknown type.
 */
export async function listProviders(
  ctx: AuthContext,
  { type }: { type?: string | undefined },
  { page, perPage }: Page = { page: 1, perPage: maxCustomProviders },
): Promise<{ providers: CustomProvider[]; total: number }> {
  requireCustomProviders(ctx)
  const found = await listCustomProviders(ctx.sql, {
    type: readTypeFilter(type),
    limit: perPage,
    offset: (page - 1) * perPage,
  })
  return { providers: found.providers.map(toCustomProvider), total: found.total }
}

/**
 * Returns a registered provider.
 *
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400) for a malformed
 *   identifier, `custom_provider_not_found` (404).
 */
export const getCustomProvider = async (
  ctx: AuthContext,
  identifier: string,
): Promise<CustomProvider> => toCustomProvider(await requireRow(ctx, identifier))

/**
 * Changes a registered provider. Members that are absent stay as they are. A changed issuer is
 * checked as that of a new provider.
 *
 * @throws AuthError as {@link getCustomProvider}, `validation_failed` (400), naming the field,
 *   `conflict` (409) where another request changes it at the same time.
 */
export async function changeCustomProvider(
  ctx: AuthContext,
  admin: Admin,
  identifier: string,
  input: ProviderInput,
): Promise<CustomProvider> {
  const row = await requireRow(ctx, identifier)
  const current = toCustomProvider(row)
  requireUnchanged('provider_type', input.providerType, current.providerType)
  requireUnchanged('identifier', input.identifier, current.identifier)
  const settings = readProvider({ ...inputOf(current), ...statedMembers(input) }, current)
  await requirePublicUrls(settings, current)
  const isSameIssuer =
    settings.issuer === current.issuer && settings.discoveryUrl === current.discoveryUrl
  const changes: Partial<CustomProviderRow> = {
    ...columnsOf(settings),
    ...(!isSameIssuer && { discovery_document: await documentOf(ctx, settings) }),
    ...(input.clientSecret !== undefined && {
      sealed_client_secret: seal(
        ctx.roots,
        clientSecretBox(row.id),
        readClientSecret(input.clientSecret),
      ),
    }),
    // The version of the row: PostgreSQL stores microseconds.
    updated_at: new Date(
      Math.max(ctx.clock.now().getTime(), current.updatedAt.getTime() + 1),
    ).toISOString(),
  }
  const act = { audit: about(row.identifier, admin, 'custom_provider_updated') }
  const saved = await performAct(ctx, act, (rows) =>
    updateCustomProvider(ctx.sql, row.id, { changes, expected: row.updated_at }, rows),
  )
  if (!saved) throw conflict('Another request changed the provider at the same time')
  if (!isSameIssuer) warnOfSharedCallback(ctx, saved)
  return toCustomProvider(saved)
}

/**
 * Deletes a registered provider. Identities of users stay, and can no longer sign in.
 *
 * @throws AuthError as {@link getCustomProvider}.
 */
export async function removeCustomProvider(
  ctx: AuthContext,
  admin: Admin,
  given: string,
): Promise<void> {
  requireCustomProviders(ctx)
  const identifier = requireIdentifier(given)
  const act = { audit: about(identifier, admin, 'custom_provider_deleted') }
  const existed = await performAct(ctx, act, (rows) =>
    deleteCustomProvider(ctx.sql, identifier, rows),
  )
  if (!existed) throw customProviderNotFound()
}

async function requireRow(ctx: AuthContext, identifier: string): Promise<CustomProviderRow> {
  requireCustomProviders(ctx)
  const found = await findCustomProvider(ctx.sql, requireIdentifier(identifier))
  if (!found) throw customProviderNotFound()
  return found
}

/** Reads the document of an OpenID Connect provider; null for OAuth 2.0. */
const documentOf = async (
  ctx: AuthContext,
  { issuer, discoveryUrl }: ProviderSettings,
): Promise<Record<string, unknown> | null> =>
  issuer === null ? null : readDiscoveryDocument(ctx, { issuer, discoveryUrl })

function requireUnchanged(field: string, given: string | undefined, current: string): void {
  if (given !== undefined && given !== current)
    throw validationFailed(`${field}: cannot be changed`)
}

/** Returns the members that have a value, so that absent ones replace none. */
const statedMembers = (input: ProviderInput): ProviderInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

const inputOf = (current: CustomProvider): ProviderInput => ({
  ...current,
  issuer: current.issuer ?? undefined,
  discoveryUrl: current.discoveryUrl ?? undefined,
  authorizationUrl: current.authorizationUrl ?? undefined,
  tokenUrl: current.tokenUrl ?? undefined,
  userinfoUrl: current.userinfoUrl ?? undefined,
  jwksUri: current.jwksUri ?? undefined,
})

const columnsOf = (settings: ProviderSettings) => ({
  name: settings.name,
  client_id: settings.clientId,
  acceptable_client_ids: settings.acceptableClientIds,
  scopes: settings.scopes,
  pkce_enabled: settings.pkceEnabled,
  attribute_mapping: settings.attributeMapping,
  custom_claims_allowlist: settings.customClaimsAllowlist,
  authorization_params: settings.authorizationParams,
  enabled: settings.enabled,
  email_optional: settings.emailOptional,
  skip_nonce_check: settings.skipNonceCheck,
  issuer: settings.issuer,
  discovery_url: settings.discoveryUrl,
  authorization_url: settings.authorizationUrl,
  token_url: settings.tokenUrl,
  userinfo_url: settings.userinfoUrl,
  jwks_uri: settings.jwksUri,
})

const about = (
  identifier: string,
  admin: Admin,
  action: 'custom_provider_created' | 'custom_provider_updated' | 'custom_provider_deleted',
): AuditEvent => ({ action, actorRole: admin.role, traits: { provider: identifier } })
