import type { AuthContext } from '../../../accounts/auth-context.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { withoutTrailingSlashes } from '../../../platform/kit/trailing-slashes.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { toClient } from '../clients/client-row.ts'
import { findOauthClient } from '../clients/clients.sql.ts'
import {
  isDocumentUrl,
  limitUnknownDocument,
  requireDocumentClient,
} from '../clients/metadata-document.ts'
import type { OauthClient } from '../clients/oauth-client.ts'
import {
  isRedirectOf,
  opensApplication,
  withOwnFragment,
  withParameters,
} from '../clients/redirect-uris.ts'
import { hasKeyPair } from '../protocol/issuer.ts'
import {
  clientNotFound,
  invalidRequest,
  oauthError,
  requireOauthServer,
} from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { supportedScopes } from '../protocol/scopes.ts'
import { readSignedClaims } from '../protocol/signed-claims.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { hashOfRequestUri, isPushed, openPushedRequest } from './authorizations.sql.ts'
import { insertAuthorization } from './insert-authorization.sql.ts'

/**
 * Stores an authorization request, and returns the URL of the consent page; for an invalid request
 * that of the client, with the error.
 *
 * @throws AuthError `validation_failed`, `oauth_client_not_found` (400) where the client or its
 *   redirect URI is not certain; the error of an invalid request where the redirect URI opens an
 *   application.
 * @see RFC 6749 §4.1.1, OpenID Connect Core 1.0 §3.1.2.1
 */
export async function authorize(ctx: AuthContext, parameters: OauthParameters): Promise<string> {
  requireOauthServer(ctx)
  const requestUri = parameters.isRepeated('request_uri') ? undefined : parameters('request_uri')
  if (isPushed(requestUri)) return authorizePushed(ctx, parameters, requestUri)
  const { client, redirectUri } = await requireRedirect(ctx, parameters)
  try {
    const request = await readAuthorizationRequest(ctx, client, redirectUri, parameters)
    const { authorizationPath } = ctx.config.oauthServer
    if (authorizationPath === null) {
      throw oauthError('server_error', 'oauth authorization path not configured')
    }
    const id = ctx.random.hex(16)
    await insertAuthorization(ctx, { id, client, request, status: 'pending' })
    return consentPage(ctx, authorizationPath, { id, request })
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500 || error.status === 429) throw error
    if (opensApplication(redirectUri)) throw error
    return withOwnFragment(errorRedirect(ctx, redirectUri, stateOf(parameters), error))
  }
}

/**
 * Opens a pushed request, which is valid once. All other parameters were checked when it was
 * pushed.
 *
 * @throws AuthError `validation_failed` (400) for a request URI that is unknown, expired or used.
 * @see RFC 9126 §4
 */
async function authorizePushed(
  ctx: AuthContext,
  parameters: OauthParameters,
  requestUri: string,
): Promise<string> {
  const clientId = parameters.isRepeated('client_id') ? undefined : parameters('client_id')
  if (clientId === undefined) throw validationFailed('client_id: is required')
  const { authorizationPath, authorizationLifetimeSeconds } = ctx.config.oauthServer
  const now = ctx.clock.now()
  const opened = await openPushedRequest(ctx.sql, {
    secretHash: hashOfRequestUri(requestUri),
    clientId: isUuid(clientId) ? clientId.toLowerCase() : clientId,
    now,
    expiresAt: new Date(now.getTime() + authorizationLifetimeSeconds * 1000),
  })
  if (!opened) throw validationFailed('request_uri: is unknown, has expired or was used')
  if (authorizationPath === null) {
    const error = oauthError('server_error', 'oauth authorization path not configured')
    if (opensApplication(opened.request.redirect_uri)) throw error
    return withOwnFragment(
      errorRedirect(ctx, opened.request.redirect_uri, opened.request.state, error),
    )
  }
  return consentPage(ctx, authorizationPath, opened)
}

const consentPage = (
  ctx: AuthContext,
  path: string,
  { id, request }: { id: string; request: AuthorizationRequest },
): string =>
  consentUrl(ctx, path, {
    authorization_id: id,
    login_hint: request.login_hint,
    ui_locales: request.ui_locales,
  })

/** Returns the redirect URI with an error. @see RFC 6749 §4.1.2.1, RFC 9207 */
export const errorRedirect = (
  { config }: Pick<AuthContext, 'config'>,
  redirectUri: string,
  state: string | undefined,
  { details, message }: AuthError,
): string =>
  withParameters(redirectUri, {
    error: details.oauthError ?? 'invalid_request',
    error_description: message,
    state,
    iss: issuerOf(config),
  })

/**
 * Returns the client of a request and its redirect URI. Before both are certain, no browser is
 * redirected. @see RFC 9700 §4.11
 */
async function requireRedirect(
  ctx: AuthContext,
  parameters: OauthParameters,
): Promise<{ client: OauthClient; redirectUri: string }> {
  const [clientId, redirectUri] = ['client_id', 'redirect_uri'].map((name) => {
    if (parameters.isRepeated(name)) throw validationFailed(`${name}: must not be repeated`)
    return parameters(name)
  })
  if (clientId === undefined) throw validationFailed('client_id: is required')
  if (redirectUri === undefined) throw validationFailed('redirect_uri: is required')
  const client = await requireKnownClient(ctx, clientId)
  if (!isRedirectOf(client.redirectUris, redirectUri)) {
    throw validationFailed('redirect_uri: invalid redirect_uri')
  }
  return { client, redirectUri }
}

/** @throws AuthError `oauth_client_not_found` (400). */
export async function requireKnownClient(ctx: AuthContext, clientId: string): Promise<OauthClient> {
  if (ctx.config.oauthServer.clientIdMetadataDocuments.enabled && isDocumentUrl(clientId)) {
    await limitUnknownDocument(ctx, clientId)
    return requireDocumentClient(ctx, clientId)
  }
  const found = isUuid(clientId)
    ? await findOauthClient(ctx.sql, clientId.toLowerCase(), ctx.clock.now())
    : null
  if (!found) throw clientNotFound(400)
  return toClient(found)
}

const stateOf = (parameters: OauthParameters): string | undefined =>
  parameters.isRepeated('state') ? undefined : shortOr(parameters('state'))

/** The longest parameter that a redirect carries. */
const maxLength = 4_096

const shortOr = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= maxLength ? text : undefined

/**
 * Checks the parameters of a request.
 *
 * @throws AuthError with the code of RFC 6749 §4.1.2.1, RFC 8707 §2 or OpenID Connect Core
 * §3.1.2.6.
 */
export async function readAuthorizationRequest(
  ctx: AuthContext,
  client: OauthClient,
  redirectUri: string,
  parameters: OauthParameters,
): Promise<AuthorizationRequest> {
  const given = (name: string): string | undefined => {
    const value = parameters(name)
    if (value !== undefined && value.length > maxLength) {
      throw invalidRequest(`${name} cannot be longer than ${maxLength} characters`)
    }
    return value
  }
  requireSupported(given)
  if (!client.grantTypes.includes('authorization_code')) {
    throw oauthError('unauthorized_client', 'The client may not use the authorization code grant')
  }
  const scope = readScope(ctx, client, given('scope'))
  const resource = readResource(ctx, given('resource'))
  const codeChallenge = readCodeChallenge(given)
  const request: Record<Exclude<keyof AuthorizationRequest, 'interval'>, unknown> = {
    redirect_uri: redirectUri,
    scope,
    code_challenge: codeChallenge,
    state: given('state'),
    nonce: given('nonce'),
    resource,
    prompt: readPrompt(given('prompt')),
    max_age: readMaxAge(given('max_age')),
    login_hint: shortOr(parameters('login_hint')),
    ui_locales: shortOr(parameters('ui_locales')),
    hinted_user: await readHint(ctx, client, given('id_token_hint')),
    dpop_jkt: readThumbprint(given('dpop_jkt')),
  }
  return request as AuthorizationRequest
}

type Given = (name: string) => string | undefined

function requireSupported(given: Given): void {
  for (const name of ['request', 'request_uri']) {
    if (given(name) !== undefined) {
      throw oauthError(`${name}_not_supported`, `${name} is not supported`)
    }
  }
  if ((given('response_type') ?? 'code') !== 'code') {
    throw oauthError('unsupported_response_type', 'response_type has to be code')
  }
  if ((given('response_mode') ?? 'query') !== 'query') {
    throw invalidRequest('response_mode has to be query')
  }
}

/**
 * Returns the scope of a request, or the default.
 *
 * @throws AuthError `invalid_scope`.
 */
export function readScope(
  { config, keys }: Pick<AuthContext, 'config' | 'keys'>,
  { allowedScopes }: Pick<OauthClient, 'allowedScopes'>,
  given: string | undefined,
): string {
  const scopes = scopesIn(given ?? config.oauthServer.defaultScope)
  // A session without a scope would lose none, and so outlive the withdrawal of all.
  if (scopes.length === 0) throw oauthError('invalid_scope', 'scope cannot be blank')
  const supported = supportedScopes({ config, hasKeyPair: hasKeyPair({ keys }) })
  const isUnknown = scopes.find((scope) => !supported.includes(scope))
  if (isUnknown === 'openid') {
    throw oauthError(
      'invalid_scope',
      'The scope openid requires a service that signs by a key pair',
    )
  }
  if (isUnknown !== undefined) throw oauthError('invalid_scope', 'A scope is not supported')
  if (allowedScopes && !scopes.every((scope) => allowedScopes.includes(scope))) {
    throw oauthError('invalid_scope', 'The client may not request a scope')
  }
  return scopes.join(' ')
}

/** @throws AuthError `invalid_target`. @see RFC 8707 §2 */
export function readResource(
  { config }: Pick<AuthContext, 'config'>,
  resource: string | undefined,
): string | undefined {
  if (resource === undefined) return undefined
  const { resources } = config.oauthServer
  // The consent page shows it, so it contains the characters of a URI only.
  const isAbsolute = /^[a-z][a-z\d+.-]*:[!"$->@-~]+$/i.test(resource) && URL.canParse(resource)
  if (!isAbsolute || resource.length > 2048) {
    throw oauthError(
      'invalid_target',
      'resource has to be an absolute URI without query or fragment',
    )
  }
  // Services that accept tokens of users for this audience would accept those of clients, too.
  const isOwn = [config.jwt.audience, ...config.jwt.signUpAudiences].includes(resource)
  if (isOwn || (resources.length > 0 && !resources.includes(resource))) {
    throw oauthError('invalid_target', 'No tokens are issued for this resource')
  }
  return resource
}

/**
 * Reads a code challenge of S256, which has 43 characters; other methods are rejected. The name may
 * be in lower case, as at the other endpoints.
 *
 * @see RFC 7636 §4.2
 */
function readCodeChallenge(given: Given): string {
  const [challenge, method] = [given('code_challenge'), given('code_challenge_method')]
  if (challenge === undefined || method === undefined) {
    throw invalidRequest('PKCE is required: code_challenge and code_challenge_method')
  }
  if (!/^s256$/i.test(method)) throw invalidRequest('code_challenge_method has to be S256')
  if (!/^[\w-]{43}$/.test(challenge)) {
    throw invalidRequest('code_challenge has to be a SHA-256 in base64url')
  }
  return challenge
}

const prompts: ReadonlySet<string> = new Set(['none', 'login', 'consent', 'select_account'])

function readPrompt(prompt: string | undefined): string[] | undefined {
  if (prompt === undefined) return undefined
  const values = scopesIn(prompt)
  if (values.length === 0 || !values.every((value) => prompts.has(value))) {
    throw invalidRequest('prompt has an unknown value')
  }
  if (values.includes('none') && values.length > 1) {
    throw invalidRequest('prompt cannot combine none with another value')
  }
  return values
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest('max_age has to be a number of seconds')
  return Number(text)
}

function readThumbprint(text: string | undefined): string | undefined {
  if (text === undefined || /^[\w-]{43}$/.test(text)) return text
  throw invalidRequest('dpop_jkt has to be a SHA-256 in base64url')
}

/** Returns the user of an ID token that this client received before. It may have expired. */
async function readHint(
  { keys }: AuthContext,
  { clientId }: OauthClient,
  token: string | undefined,
): Promise<string | undefined> {
  if (token === undefined) return undefined
  const claims = await readSignedClaims(keys, token)
  if (!claims || typeof claims.sub !== 'string' || ![claims.aud].flat().includes(clientId)) {
    throw invalidRequest('id_token_hint is not an ID token of this client')
  }
  return claims.sub
}

/** Returns the URL of a page on the site. */
export function consentUrl(
  { config: { siteUrl } }: Pick<AuthContext, 'config'>,
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const isUrl = /^https?:/i.test(path)
  const page = isUrl ? path : `${withoutTrailingSlashes(siteUrl)}/${path.replace(/^\/+/, '')}`
  return withParameters(page, parameters)
}
