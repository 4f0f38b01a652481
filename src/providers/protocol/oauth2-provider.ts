import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client } from 'arctic'
import type {
  GrantedTokens,
  ProviderClient,
  ProviderDefinition,
  ProviderEndpoints,
  ProviderTokens,
  ProviderVisit,
} from '../../config/sections/provider-definition.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Clock } from '../../kit/clock.ts'
import type { UrlTrust } from '../../kit/url-trust.ts'
import type {
  Arrival,
  AuthorizationOrder,
  Departure,
  ExternalSignIn,
  Provider,
} from '../provider.ts'
import { askForJson, type ProviderAccess, trustedBy } from './ask-provider.ts'
import type { Issuers } from './issuers.ts'
import {
  codeNotExchanged,
  endpointsNotRead,
  missingCode,
  orThrow,
  profileNotRead,
} from './provider-errors.ts'
import { type Grant, redeemGrant } from './redeem-grant.ts'
import { verifyIdToken } from './verify-id-token.ts'

/** What providers work with. */
export interface ProviderNeeds extends ProviderAccess {
  clock: Clock
  issuers: Issuers
}

/** Parameters of the authorization URL that are ours alone. */
const reserved = [
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  // Objects whose members stand in place of the parameters. @see RFC 9101 §6.3
  'request',
  'request_uri',
]

/** Binds a provider of OAuth 2.0 or OpenID Connect to a client. @see RFC 6749 §4.1 */
export function oauth2Provider(
  needs: ProviderNeeds,
  name: string,
  definition: ProviderDefinition,
  client: ProviderClient,
): Provider {
  return {
    name,
    label: definition.label,
    depart: (order) => depart(needs, definition, client, order),
    arrive: (arrival) => arrive(needs, definition, client, arrival),
    refresh: (refreshToken) => refresh(needs, definition, client, refreshToken),
  }
}

async function depart(
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  order: AuthorizationOrder,
): Promise<Departure> {
  const { authorization } = await orThrow(endpointsNotRead, async () =>
    definition.endpoints(client, needs.issuers),
  )
  const oauth = new OAuth2Client(client.clientId, null, client.redirectUri)
  const asked = definition.takesScopes === false ? [] : order.scopes
  const scopes = [...(definition.scopes ?? []), ...asked]
  const codeVerifier = definition.usesCodeVerifier ? generateCodeVerifier() : null
  const url = codeVerifier
    ? oauth.createAuthorizationURLWithPKCE(
        authorization,
        order.state,
        CodeChallengeMethod.S256,
        codeVerifier,
        scopes,
      )
    : oauth.createAuthorizationURL(authorization, order.state, scopes)
  const passedOn = definition.takesParameters === false ? {} : order.parameters
  for (const [name, value] of Object.entries({ ...definition.parameters, ...passedOn })) {
    if (!reserved.includes(name.toLowerCase())) url.searchParams.set(name, value)
  }
  const nonce = nonceOf(definition, url)
  return { url: url.href, codeVerifier, nonce }
}

/** It is stored for whoever asks. */
const maxNonceLength = 255

/** The application may name a nonce of its own; either way its id token has to repeat it. */
function nonceOf({ idToken }: ProviderDefinition, { searchParams }: URL): string | null {
  if (!idToken || idToken.lacksNonce) return null
  const nonce = searchParams.get('nonce') ?? generateCodeVerifier()
  if (nonce.length > maxNonceLength) {
    throw validationFailed(`nonce: must not be longer than ${maxNonceLength} characters`)
  }
  searchParams.set('nonce', nonce)
  return nonce
}

async function arrive(
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  arrival: Arrival,
): Promise<ExternalSignIn> {
  const code = arrival.parameter('code')
  if (!code) throw missingCode()
  const { endpoints, tokens } = await orThrow(codeNotExchanged, () =>
    trade(needs, definition, client, { code, codeVerifier: arrival.codeVerifier }),
  )
  const profile = await orThrow(profileNotRead, async () =>
    definition.readProfile(visitOf(needs, definition, client, { endpoints, tokens, arrival })),
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
  grant: Grant,
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

/** Some providers put commas between scopes. */
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
  arrival: Arrival
}

/** Many people may come back at once, each with a profile in memory. */
const maxProfileBytes = 256 * 1024

const visitOf = (
  needs: ProviderNeeds,
  definition: ProviderDefinition,
  client: ProviderClient,
  { endpoints, tokens, arrival }: Found,
): ProviderVisit => ({
  client,
  endpoints,
  tokens,
  parameter: arrival.parameter,
  get: (url, headers) =>
    askForJson(needs, url, {
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
      // Only the client that asked for it may be its audience.
      audiences: [client.clientId],
      nonce: arrival.nonce,
      requiresNonce: definition.scopes?.includes('openid') ?? false,
    }),
})

const trustIn = ({ issuer }: ProviderEndpoints, url: string): UrlTrust =>
  issuer === undefined ? 'operator' : trustedBy(issuer, url)
