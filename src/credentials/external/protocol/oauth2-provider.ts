import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client } from 'arctic'
import type {
  CallbackContext,
  GrantedTokens,
  ProviderClient,
  ProviderDefinition,
  ProviderEndpoints,
  ProviderTokens,
} from '../../../platform/config/sections/provider-definition.ts'
import type { Clock } from '../../../platform/kit/clock.ts'
import type { UrlTrust } from '../../../platform/kit/url-trust.ts'
import type {
  AuthorizationOrder,
  CallbackParameters,
  ExternalSignIn,
  Provider,
  ProviderAuthorizationRequest,
} from '../provider.ts'
import { addParameters } from './authorization-parameters.ts'
import type { Issuers } from './issuers.ts'
import {
  codeNotExchanged,
  endpointsNotRead,
  missingCode,
  orThrow,
  profileNotRead,
} from './provider-errors.ts'
import { type RedeemableGrant, redeemGrant } from './redeem-grant.ts'
import { type ProviderAccess, requestJson, trustedBy } from './request-provider.ts'
import { requireResponseIssuer } from './response-issuer.ts'
import { verifyIdToken } from './verify-id-token.ts'

/** The dependencies of providers. */
export interface ProviderNeeds extends ProviderAccess {
  clock: Clock
  issuers: Issuers
}

/**
 * The definition of a provider whose class in Arctic accepts every endpoint that the configuration
 * can name. For other providers the `OAuth2Client` of Arctic builds the authorization URL:
 * `docs/architecture.md` states the reason of each.
 */
export interface ArcticDefinition extends ProviderDefinition {
  usesCodeVerifier: true
  createArctic(client: ProviderClient): {
    createAuthorizationURL(state: string, codeVerifier: string, scopes: string[]): URL
  }
}

/** Binds an OAuth 2.0 or OpenID Connect provider to a client. @see RFC 6749 §4.1 */
export function oauth2Provider(
  needs: ProviderNeeds,
  name: string,
  definition: ProviderDefinition | ArcticDefinition,
  client: ProviderClient,
): Provider {
  return {
    name,
    label: definition.label,
    createAuthorizationUrl: (order) => createAuthorizationUrl(needs, definition, client, order),
    requireIssuer: async ({ parameter }) => {
      const endpoints = await orThrow(endpointsNotRead, async () =>
        definition.endpoints(client, needs.issuers),
      )
      requireResponseIssuer({ definition, client, endpoints }, parameter('iss'))
    },
    handleCallback: (callback) => handleCallback(needs, definition, client, callback),
    refresh: (refreshToken) => refresh(needs, definition, client, refreshToken),
  }
}

async function createAuthorizationUrl(
  needs: ProviderNeeds,
  definition: ProviderDefinition | ArcticDefinition,
  client: ProviderClient,
  order: AuthorizationOrder,
): Promise<ProviderAuthorizationRequest> {
  const { authorization } = await orThrow(endpointsNotRead, async () =>
    definition.endpoints(client, needs.issuers),
  )
  const requestedScopes = definition.takesScopes === false ? [] : order.scopes
  const scopes = [...(definition.scopes ?? []), ...requestedScopes]
  const codeVerifier = definition.usesCodeVerifier ? generateCodeVerifier() : null
  const url = plainAuthorizationUrl(definition, client, {
    authorization,
    state: order.state,
    codeVerifier,
    scopes,
  })
  const requested = definition.takesParameters === false ? {} : order.parameters
  addParameters(url.searchParams, { configured: definition.parameters ?? {}, requested })
  const hasNonce = definition.idToken !== undefined && !definition.idToken.lacksNonce
  const nonce = hasNonce ? generateCodeVerifier() : null
  if (nonce !== null) url.searchParams.set('nonce', nonce)
  return { url: url.href, codeVerifier, nonce, redirectUri: client.redirectUri }
}

interface PlainAuthorization {
  /** The authorization endpoint. */
  authorization: string
  state: string
  codeVerifier: string | null
  scopes: string[]
}

/** Builds an authorization URL with the parameters of RFC 6749 §4.1.1 and RFC 7636 §4.3 alone. */
function plainAuthorizationUrl(
  definition: ProviderDefinition | ArcticDefinition,
  client: ProviderClient,
  { authorization, state, codeVerifier, scopes }: PlainAuthorization,
): URL {
  if (codeVerifier !== null && 'createArctic' in definition) {
    return definition.createArctic(client).createAuthorizationURL(state, codeVerifier, scopes)
  }
  const oauth = new OAuth2Client(client.clientId, null, client.redirectUri)
  return codeVerifier === null
    ? oauth.createAuthorizationURL(authorization, state, scopes)
    : oauth.createAuthorizationURLWithPKCE(
        authorization,
        state,
        CodeChallengeMethod.S256,
        codeVerifier,
        scopes,
      )
}

async function handleCallback(
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  callback: CallbackParameters,
): Promise<ExternalSignIn> {
  const code = callback.parameter('code')
  if (!code) throw missingCode()
  const { endpoints, tokens } = await orThrow(codeNotExchanged, () =>
    trade(needs, definition, client, {
      code,
      codeVerifier: callback.codeVerifier,
      redirectUri: callback.redirectUri,
    }),
  )
  const profile = await orThrow(profileNotRead, async () =>
    definition.readProfile(contextOf(needs, definition, client, { endpoints, tokens, callback })),
  )
  return { profile, tokens: toGrantedTokens(tokens) }
}

async function refresh(
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  refreshToken: string,
): Promise<GrantedTokens> {
  const { tokens } = await trade(needs, definition, client, { refreshToken })
  return toGrantedTokens(tokens)
}

async function trade(
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  grant: RedeemableGrant,
): Promise<{ endpoints: ProviderEndpoints; tokens: ProviderTokens }> {
  const { clientAuthentication = 'basic' } = definition
  const endpoints = await definition.endpoints(client, needs.issuers)
  const tokens = await redeemGrant(
    needs,
    await withSecret(needs, definition, client),
    { url: endpoints.token, trust: trustIn(endpoints, endpoints.token), clientAuthentication },
    grant,
  )
  return { endpoints, tokens }
}

/** The form of a scope. Some providers separate scopes with commas. */
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]{1,500}$/

/** @see RFC 6749 §3.3 */
const toGrantedTokens = ({
  accessToken,
  refreshToken,
  expiresAt,
  answer,
}: ProviderTokens): GrantedTokens => ({
  accessToken,
  refreshToken,
  expiresAt,
  scopes:
    answer
      .text('scope')
      ?.split(/[\s,]+/)
      .filter((scope) => scopeForm.test(scope)) ?? null,
})

async function withSecret(
  { clock }: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
): Promise<ProviderClient> {
  if (!definition.issueClientSecret) return client
  return { ...client, clientSecret: await definition.issueClientSecret(client, clock.now()) }
}

interface Found {
  endpoints: ProviderEndpoints
  tokens: ProviderTokens
  callback: CallbackParameters
}

/**
 * The maximum size of a profile: many callbacks may be served at once, each with a profile in
 * memory.
 */
const maxProfileBytes = 256 * 1024

const contextOf = (
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  { endpoints, tokens, callback }: Found,
): CallbackContext => ({
  client,
  endpoints,
  tokens,
  parameter: callback.parameter,
  get: (url, headers) =>
    requestJson(needs, url, {
      trust: trustIn(endpoints, url),
      maxBytes: maxProfileBytes,
      headers: { ...headers, authorization: `Bearer ${tokens.accessToken}` },
    }),
  verifyIdToken: () =>
    verifyIdToken(needs, {
      idToken: tokens.idToken,
      accessToken: tokens.accessToken,
      rules: definition.idToken,
      client,
      // The audience must be the client that requested the token.
      audiences: [client.clientId],
      nonce: callback.nonce,
      requiresNonce: definition.scopes?.includes('openid') ?? false,
    }),
})

const trustIn = ({ issuer }: ProviderEndpoints, url: string): UrlTrust =>
  issuer === undefined ? 'operator' : trustedBy(issuer, url)
