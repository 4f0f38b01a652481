import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { isSameSecret } from '../../../platform/kit/digest.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { assertionType, clientOfAssertion, verifyAssertion } from './client-assertion.ts'
import { type ClientCredentials, invalidClient, readCredentials } from './client-credentials.ts'
import { toClient } from './client-row.ts'
import { findOauthClient } from './clients.sql.ts'
import { hashOfSecret } from './manage-clients.ts'
import {
  isDocumentUrl,
  limitUnknownDocument,
  refreshClient,
  requireDocumentClient,
} from './metadata-document.ts'
import type { OauthClient } from './oauth-client.ts'

/**
 * Reads the client of a request and its secret, which a later statement compares. An assertion is
 * verified at once.
 *
 * @throws AuthError `invalid_client` (400, 401), `invalid_request` for two methods at once.
 */
export async function resolveCredentials(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<ClientCredentials> {
  const credentials = await readAndVerify(ctx, event, parameters)
  if (isUuid(credentials.clientId)) return credentials
  // Clients of metadata documents stay stored when the setting is disabled.
  if (!ctx.config.oauthServer.clientIdMetadataDocuments.enabled) throw invalidClient(event)
  return credentials
}

async function readAndVerify(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<ClientCredentials> {
  const assertion = parameters('client_assertion')
  if (assertion === undefined) return readCurrent(ctx, event, parameters)
  if (parameters('client_assertion_type') !== assertionType) {
    throw invalidRequest('client_assertion_type is not supported')
  }
  const isOther =
    parameters('client_secret') !== undefined || event.req.headers.has('authorization')
  if (isOther) throw invalidRequest('only one authentication method may be used')
  const clientId = clientOfAssertion(assertion)
  const stated = parameters('client_id')
  if (stated !== undefined && stated !== clientId) {
    throw oauthError('invalid_client', 'client_id differs from that of client_assertion', 401)
  }
  const client = (await findKnownClient(ctx, clientId))?.client
  if (client?.tokenEndpointAuthMethod !== 'private_key_jwt') throw invalidClient(event)
  await verifyAssertion(ctx, client, assertion, async () => {
    const read = (await findKnownClient(ctx, clientId, { isNew: true }))?.client
    if (read?.tokenEndpointAuthMethod !== 'private_key_jwt') return null
    return read.updatedAt > client.updatedAt ? read : null
  })
  return { clientId, method: 'private_key_jwt', secrets: [] }
}

/** Reads credentials. A stale document is read again before a statement compares its client. */
async function readCurrent(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<ClientCredentials> {
  const credentials = readCredentials(event, parameters)
  const { clientId } = credentials
  const isEnabled = ctx.config.oauthServer.clientIdMetadataDocuments.enabled
  if (!isEnabled || !isDocumentUrl(clientId)) return credentials
  const stored = await findOauthClient(ctx.sql, clientId, ctx.clock.now())
  if (stored && !(await refreshClient(ctx, stored))) throw invalidClient(event)
  return credentials
}

/**
 * Authenticates the client of a request.
 *
 * @throws AuthError as {@link resolveCredentials}.
 */
export async function authenticateClient(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<OauthClient> {
  const { clientId, method, secrets } = await resolveCredentials(ctx, event, parameters)
  const found = await findKnownClient(ctx, clientId)
  const hash = found?.secretHash ?? null
  const isRight =
    !method.startsWith('client_secret') ||
    (hash !== null && secrets.some((secret) => isSameSecret(hashOfSecret(secret), hash)))
  if (found?.client.tokenEndpointAuthMethod !== method || !isRight) throw invalidClient(event)
  return found.client
}

/**
 * Returns a stored client, or the one of a metadata document, which is read for the first time or
 * where it is stale.
 */
async function findKnownClient(
  ctx: AuthContext,
  clientId: string,
  options: { isNew?: boolean } = {},
): Promise<{ client: OauthClient; secretHash: string | null } | null> {
  const { enabled: hasDocuments } = ctx.config.oauthServer.clientIdMetadataDocuments
  const found = await findOauthClient(ctx.sql, clientId, ctx.clock.now())
  if (found) {
    const client = hasDocuments ? await refreshClient(ctx, found, options) : toClient(found)
    return client && { client, secretHash: found.secret_hash }
  }
  if (!hasDocuments || !isDocumentUrl(clientId)) return null
  await limitUnknownDocument(ctx, clientId)
  const client = await requireDocumentClient(ctx, clientId).catch((error: unknown) => {
    if (error instanceof AuthError && error.code === 'oauth_client_not_found') return null
    throw error
  })
  return client && { client, secretHash: null }
}

/** Rejects a client that may not use a grant. @throws AuthError `unauthorized_client`. */
export function requireGrant({ grantTypes }: OauthClient, grant: string): void {
  if (!grantTypes.includes(grant)) {
    throw oauthError('unauthorized_client', 'The client may not use this grant')
  }
}
