import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalProfile,
  ProviderClient,
} from '../../platform/config/sections/provider-definition.ts'
import type { BindProvider } from './bind-provider.ts'
import { named, oneEmail, pictured } from './profile.ts'
import { type Oauth1Credentials, oauth1Header } from './protocol/oauth1-header.ts'
import type { ProviderNeeds } from './protocol/oauth2-provider.ts'
import {
  missingVerifier,
  orThrow,
  profileNotRead,
  temporaryTokenNotIssued,
  tokenNotIssued,
} from './protocol/provider-errors.ts'
import { fetchOnce, requestJson } from './protocol/request-provider.ts'
import type {
  CallbackParameters,
  ExternalSignIn,
  ProviderAuthorizationRequest,
} from './provider.ts'

/** X with OAuth 1.0a, for applications from before 2023; newer ones use `x`. @see RFC 5849 §2 */
export const twitter: BindProvider = (needs, name, client) => ({
  name,
  label: providerLabels.twitter,
  createAuthorizationUrl: ({ state }) =>
    orThrow(temporaryTokenNotIssued, () => createAuthorizationUrl(needs, client, state)),
  // OAuth 1.0a has no issuer. The temporary token binds the response to the request.
  requireIssuer: async () => {},
  handleCallback: (callback) => handleCallback(needs, client, callback),
  refresh: async () => {
    throw new Error('OAuth 1.0a has no refresh tokens')
  },
})

const hostOf = ({ url }: ProviderClient): string => url ?? 'https://api.twitter.com'

/** The temporary token and its secret bind the callback to this request. */
async function createAuthorizationUrl(
  needs: ProviderNeeds,
  client: ProviderClient,
  state: string,
): Promise<ProviderAuthorizationRequest> {
  const callback = new URL(client.redirectUri)
  callback.searchParams.set('state', state)
  const { token, tokenSecret } = await requestToken(needs, client, 'request_token', {
    oauth_callback: callback.href,
  })
  const url = new URL(`${hostOf(client)}/oauth/authenticate`)
  url.searchParams.set('oauth_token', token)
  return {
    url: url.href,
    codeVerifier: JSON.stringify([token, tokenSecret]),
    nonce: null,
    redirectUri: client.redirectUri,
  }
}

async function handleCallback(
  needs: ProviderNeeds,
  client: ProviderClient,
  { parameter, codeVerifier }: CallbackParameters,
): Promise<ExternalSignIn> {
  const [temporary, verifier] = [parameter('oauth_token'), parameter('oauth_verifier')]
  if (!temporary || !verifier) throw missingVerifier()
  const credentials = await orThrow(tokenNotIssued, async () => {
    const [token, tokenSecret] = JSON.parse(codeVerifier ?? '[]') as [string, string]
    if (token !== temporary) throw new Error('X returned a token of another sign-in')
    const signer = { ...client, token, tokenSecret }
    return requestToken(needs, signer, 'access_token', { oauth_verifier: verifier })
  })
  const profile = await orThrow(profileNotRead, () =>
    readProfile(needs, client, { ...client, ...credentials }),
  )
  return {
    profile,
    tokens: { accessToken: credentials.token, refreshToken: null, expiresAt: null, scopes: null },
  }
}

/** @throws Error when no token is issued. The message does not quote the response. */
async function requestToken(
  needs: ProviderNeeds,
  signer: ProviderClient & Oauth1Credentials,
  endpoint: 'request_token' | 'access_token',
  parameters: Record<string, string>,
) {
  const url = `${hostOf(signer)}/oauth/${endpoint}`
  const signed = { method: 'GET', url, parameters, now: needs.clock.now() } as const
  const { status, text } = await fetchOnce(needs, url, {
    headers: { authorization: oauth1Header(signer, signed) },
  })
  const answer = new URLSearchParams(text)
  const [token, tokenSecret] = [answer.get('oauth_token'), answer.get('oauth_token_secret')]
  if (status !== 200 || !token || !tokenSecret)
    throw new Error(`X returned ${status} without a token`)
  return { token, tokenSecret }
}

async function readProfile(
  needs: ProviderNeeds,
  client: ProviderClient,
  signer: Oauth1Credentials,
): Promise<ExternalProfile> {
  const iss = `${hostOf(client)}/1.1/account/verify_credentials.json`
  const url = `${iss}?include_entities=false&skip_status=true&include_email=true`
  const signed = { method: 'GET', url, now: needs.clock.now() } as const
  const user = await requestJson(needs, url, {
    headers: { authorization: oauth1Header(signer, signed) },
  })
  const screenName = user.text('screen_name')
  return {
    subject: user.text('id_str'),
    // X returns confirmed addresses only.
    emails: oneEmail(user.text('email'), true),
    claims: {
      iss,
      ...named(user.text('name')),
      preferred_username: screenName,
      user_name: screenName,
      ...pictured(user.text('profile_image_url_https')),
    },
  }
}
