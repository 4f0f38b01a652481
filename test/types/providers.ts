/** The part of the application (`app.ts`) with custom providers and linked identities. */
import {
  type AdminApi,
  type AuthApi,
  type AuthorizationDetails,
  type AuthorizationRedirect,
  type AuthorizeInput,
  type CallbackContext,
  type CreateCustomProviderInput,
  type CreateOauthClientInput,
  type CustomProvider,
  type CustomProvidersApi,
  type CustomProviderType,
  type DefinedProvider,
  defineProvider,
  type ExchangeCodeInput,
  type ExchangeCodeResult,
  type ExternalEmail,
  type ExternalProfile,
  type ExternalTokens,
  type IdentityInput,
  type IdTokenRules,
  type JsonReader,
  type LinkIdentityInput,
  type ListCustomProvidersInput,
  type ListedOauthClients,
  type ListOauthClientsInput,
  type OAuth2Options,
  type OauthApi,
  type OauthAuthMethod,
  type OauthAuthorizationInput,
  type OauthClient,
  type OauthClientsApi,
  type OauthClientType,
  type OauthClientWithSecret,
  type OauthGrant,
  type OauthKeySet,
  type OauthRegistrationType,
  type OidcOptions,
  oauth2,
  oidc,
  type ProviderClient,
  type ProviderClientConfig,
  type ProviderConfig,
  type ProviderDefinition,
  type ProviderEndpoints,
  type ProviderLookUp,
  type ProviderTokens,
  type SignInWithIdTokenInput,
  type SignInWithOAuthInput,
  type SignInWithWeb3Input,
  type UpdateCustomProviderInput,
  type UpdateOauthClientInput,
} from 'latchkey'

const client: ProviderClientConfig = { clientId: 'id', clientSecret: process.env.CLIENT_SECRET }

const profileOf = (claims: JsonReader): ExternalProfile => {
  const email: ExternalEmail = {
    address: claims.text('emails', 0, 'value') ?? '',
    isVerified: claims.isTrue('verified'),
  }
  const groupPairs = claims.list('groups').map((group) => [group.number('id'), group.value('name')])
  return { subject: claims.text('id'), emails: [email], claims: { groups: groupPairs } }
}

const idToken: IdTokenRules = {
  issuerOf: (issuer: string, { url }: ProviderClient) => (issuer === url ? issuer : null),
  readClaims: profileOf,
}

const definition: ProviderDefinition = {
  label: 'Club',
  scopes: ['profile'],
  idToken,
  async endpoints({ url }: ProviderClient, lookUp: ProviderLookUp): Promise<ProviderEndpoints> {
    const found = await lookUp.discover(url ?? 'https://club.example')
    return {
      authorization: found.text('authorization_endpoint') ?? '',
      token: 'https://club.example/token',
    }
  },
  async readProfile(context: CallbackContext) {
    const tokens: ProviderTokens = context.tokens
    if (tokens.idToken) return profileOf(await context.verifyIdToken())
    return profileOf(await context.get(context.endpoints.userInfo ?? '', { a: tokens.accessToken }))
  },
}

export function ownProviders(): Record<string, DefinedProvider | ProviderConfig> {
  const plain: OAuth2Options = {
    ...client,
    authorizationUrl: 'https://plain.example/authorize',
    tokenUrl: 'https://plain.example/token',
    profileUrl: 'https://plain.example/me',
    readProfile: profileOf,
  }
  const open: OidcOptions = { ...client, issuer: 'https://open.example', readClaims: profileOf }
  const known: ProviderConfig = { clientId: ['web', 'app'], keepTokens: true }
  return {
    club: defineProvider({ ...client, ...definition }),
    plain: oauth2(plain),
    open: oidc(open),
    github: known,
  }
}

export async function signInWithOthers(api: AuthApi, code: ExchangeCodeInput): Promise<string> {
  const requested: AuthorizeInput = { provider: 'club', redirectTo: 'https://app.example.com' }
  const input: SignInWithOAuthInput = {
    ...requested,
    codeChallenge: 'c',
    codeChallengeMethod: 's256',
  }
  const { url } = await api.signInWithOAuth(input)
  const { session, providerTokens }: ExchangeCodeResult = await api.exchangeCodeForSession(code)
  const tokens: ExternalTokens | null = providerTokens
  const { accessToken } = session
  const more: LinkIdentityInput = { accessToken, provider: 'github' }
  const linked = await api.linkIdentity(more)
  const less: IdentityInput = { accessToken, identityId: 'i' }
  await api.unlinkIdentity(less)
  const native: SignInWithIdTokenInput = { provider: 'google', idToken: 'a.b.c', nonce: 'n' }
  await api.signInWithIdToken({ ...native, accessToken })
  const wallet: SignInWithWeb3Input = { chain: 'ethereum', message: 'm', signature: 's' }
  const { user } = await api.signInWithWeb3(wallet)
  return [url, linked.url, tokens?.refreshToken, user.id].join()
}

export async function decideAsUser({ oauth }: AuthApi): Promise<string> {
  const api: OauthApi = oauth
  const request: OauthAuthorizationInput = { accessToken: 'a.b.c', authorizationId: 'id' }
  const opened: AuthorizationDetails | AuthorizationRedirect =
    await api.getAuthorizationDetails(request)
  if ('redirectUrl' in opened) return opened.redirectUrl
  const approved: AuthorizationRedirect = await api.approveAuthorization(request)
  await api.denyAuthorization(request)
  await api.getDevice({ accessToken: 'a.b.c', userCode: 'WDJB-MJHT' })
  const [grant]: OauthGrant[] = await api.listGrants({ accessToken: 'a.b.c' })
  await api.revokeGrant({ accessToken: 'a.b.c', clientId: grant?.client.clientId ?? '' })
  return [approved.redirectUrl, opened.client.clientName, opened.scope].join()
}

export async function withClients({ oauth }: AdminApi): Promise<string> {
  const clients: OauthClientsApi = oauth
  const clientType: OauthClientType = 'confidential'
  const given: CreateOauthClientInput = { clientType, redirectUris: ['https://a.test/cb'] }
  const { clientId, clientSecret }: OauthClientWithSecret = await clients.createClient(given)
  const changes: UpdateOauthClientInput = { tokenEndpointAuthMethod: 'client_secret_post' }
  const client: OauthClient = await clients.updateClient(clientId, changes)
  const method: OauthAuthMethod = client.tokenEndpointAuthMethod
  const kind: OauthRegistrationType = client.registrationType
  const keys: OauthKeySet | null = client.jwks
  const page: ListOauthClientsInput = { page: 1, perPage: 10 }
  const { clients: all, total }: ListedOauthClients = await clients.listClients(page)
  await clients.regenerateClientSecret((await clients.getClient(clientId)).clientId)
  await clients.deleteClient(clientId)
  return [method, kind, keys?.keys.length, all.length, total, clientSecret].join()
}

export async function registered(admin: AdminApi): Promise<string> {
  const { customProviders }: { customProviders: CustomProvidersApi } = admin
  const providerType: CustomProviderType = 'oidc'
  const given: CreateCustomProviderInput = {
    providerType,
    identifier: 'custom:acme',
    name: 'Acme',
    clientId: 'id',
    clientSecret: 'secret',
    issuer: 'https://id.acme.example',
    attributeMapping: { full_name: 'display_name' },
  }
  const provider: CustomProvider = await customProviders.createProvider(given)
  const changes: UpdateCustomProviderInput = { enabled: false, scopes: ['email'] }
  await customProviders.updateProvider(provider.identifier, changes)
  const filter: ListCustomProvidersInput = { type: 'oidc' }
  const { providers } = await customProviders.listProviders(filter)
  await customProviders.deleteProvider(
    (await customProviders.getProvider('custom:acme')).identifier,
  )
  return providers.map(({ discoveryDocument }) => String(discoveryDocument?.['issuer'])).join()
}
