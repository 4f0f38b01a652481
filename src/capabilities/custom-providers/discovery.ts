import type { AuthContext } from '../../accounts/auth-context.ts'
import { timeoutMsOf } from '../../credentials/external/open-providers.ts'
import { requestJson } from '../../credentials/external/protocol/request-provider.ts'
import type { JsonReader } from '../../platform/config/sections/provider-definition.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { plainJson } from '../../platform/http/plain-json.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { requireUsableUrl } from '../../platform/kit/url-trust.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/** Returns the URL of the discovery document of an issuer. @see OpenID Connect Discovery 1.0 §4 */
export const discoveryAddress = (given: string | null, issuer: string): string =>
  given ?? `${withoutSlash(issuer)}/.well-known/openid-configuration`

/** Returns whether a document states the issuer, with or without a slash at its end. */
export function isDocumentOf(issuer: string, document: JsonReader): boolean {
  const named = document.text('issuer')
  return named !== null && withoutSlash(named) === withoutSlash(issuer)
}

/** The rejection of a provider whose host did not send the document: the input may be valid. */
export class UnreadDocumentError extends AuthError {
  constructor(field: string) {
    super('validation_failed', 400, `${field}: the discovery document could not be read`)
  }
}

/** The maximum size of a stored document, as JSON. */
const maxDocumentBytes = 64 * 1024

const requiredEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
const endpoints = [...requiredEndpoints, 'userinfo_endpoint']

/**
 * Reads and checks the discovery document of an issuer.
 *
 * @throws AuthError `validation_failed` (400), naming the field: the document is unavailable, is of
 *   another issuer, lacks an endpoint, or names one that is not permitted.
 */
export async function readDiscoveryDocument(
  { outsideFetch, config, logger, request }: AuthContext,
  { issuer, discoveryUrl }: { issuer: string; discoveryUrl: string | null },
): Promise<Record<string, unknown>> {
  const field = discoveryUrl === null ? 'issuer' : 'discovery_url'
  const url = discoveryAddress(discoveryUrl, issuer)
  const access = { fetch: outsideFetch, timeoutMs: timeoutMsOf(config) }
  const document = await requestJson(access, url).catch((error: unknown) => {
    logger.info(
      { requestId: request.id, fault: describeFault(error) },
      'the discovery document of a provider was not read',
    )
    throw new UnreadDocumentError(field)
  })
  return checkDiscoveryDocument(document, field, issuer)
}

/**
 * Checks the discovery document of an issuer.
 *
 * @throws AuthError as {@link readDiscoveryDocument}.
 */
export function checkDiscoveryDocument(
  document: JsonReader,
  field: string,
  issuer: string,
): Record<string, unknown> {
  const value = document.value()
  if (!isRecord(value)) throw validationFailed(`${field}: the discovery document is no object`)
  requireStorable(value, field)
  if (Buffer.byteLength(JSON.stringify(value)) > maxDocumentBytes) {
    throw validationFailed(`${field}: the discovery document is too large`)
  }
  if (!isDocumentOf(issuer, document)) {
    throw validationFailed(`${field}: the discovery document is of another issuer`)
  }
  for (const name of endpoints) requireEndpoint(document, field, name)
  return value
}

/** Members that nothing reads are stored, too. */
function requireStorable(document: Record<string, unknown>, field: string): void {
  try {
    plainJson(document)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    throw validationFailed(`${field}: the discovery document cannot be stored: ${error.message}`)
  }
}

function requireEndpoint(document: JsonReader, field: string, name: string): void {
  const url = document.text(name)
  if (url === null) {
    if (!requiredEndpoints.includes(name)) return
    throw validationFailed(`${field}: the discovery document lacks ${name}`)
  }
  try {
    requireUsableUrl(url, 'outside')
  } catch {
    throw validationFailed(
      `${field}: ${name} of the discovery document has to be a public https URL`,
    )
  }
}
