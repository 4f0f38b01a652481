import type { ProviderName } from './provider-names.ts'
import type { ProviderClient } from './sections/provider-definition.ts'

/**
 * Returns the issuer whose discovery document and keys verify a token with `iss` `issuer`; null if
 * it is not an issuer of the provider.
 */
export type IssuerRule = (issuer: string, client: Pick<ProviderClient, 'url'>) => string | null

export const appleIssuer = 'https://appleid.apple.com'
export const facebookIssuer = 'https://www.facebook.com'
export const googleIssuer = 'https://accounts.google.com'
const googleIssuerInShort = 'accounts.google.com'

/** The names of Google as an issuer. */
export const googleIssuers: readonly string[] = [googleIssuer, googleIssuerInShort]

export const kakaoIssuer = 'https://kauth.kakao.com'
const linkedinIssuer = 'https://www.linkedin.com/oauth'
export const snapchatIssuer = 'https://accounts.snapchat.com/accounts/oauth2/token'
const vercelMarketplaceIssuer = 'https://marketplace.vercel.com'

/** Accepts a list of names; the first is the one in the discovery document. */
const oneOf =
  (issuer: string, ...aliases: readonly string[]): IssuerRule =>
  (named) =>
    named === issuer || aliases.includes(named) ? issuer : null

/** The base URL of Microsoft's multi-tenant endpoint, the default of `azure`. */
export const azureCommon = 'https://login.microsoftonline.com/common'

/** The tenant of personal Microsoft accounts. */
export const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const tenantIssuer = new RegExp(
  `^https://(?:login\\.microsoftonline\\.com/(${guid})/v2\\.0|sts\\.windows\\.net/(${guid})/)$`,
)
const microsoftBase = /^https:\/\/login\.microsoftonline\.com\/([^/]+)$/

/** Returns the tenant id in an issuer of Microsoft, version 1 or 2; null for any other issuer. */
export const tenantOf = (issuer: string | null): string | null => {
  const [, current, old] = tenantIssuer.exec(issuer ?? '') ?? []
  return current ?? old ?? null
}

/** Returns the tenant, or group of tenants, in a base URL of `login.microsoftonline.com`. */
const tenantsOfBase = ({ url }: Pick<ProviderClient, 'url'>): string | null =>
  microsoftBase.exec(url ?? azureCommon)?.[1]?.toLowerCase() ?? null

/** Reports whether the operator accepts organizations that anyone can create. */
export const acceptsAnyTenant = (client: Pick<ProviderClient, 'url'>): boolean =>
  ['common', 'organizations'].includes(tenantsOfBase(client) ?? '')

/** Accepts the tenants of the configured URL, since anyone can create a tenant. */
const azureIssuer: IssuerRule = (issuer, client) => {
  const accepted = tenantsOfBase(client)
  // Customer tenants (ciamlogin.com), national clouds and private servers.
  if (accepted === null) return issuer === `${client.url}/v2.0` ? issuer : null
  const tenant = tenantOf(issuer)
  if (tenant === null) return null
  if (accepted === 'common') return issuer
  if (accepted === 'organizations') return tenant === personalTenant ? null : issuer
  return tenant === (accepted === 'consumers' ? personalTenant : accepted) ? issuer : null
}

/** The issuers of the built-in providers that issue ID tokens. */
export const providerIssuers = {
  apple: oneOf(appleIssuer, 'https://account.apple.com'),
  azure: azureIssuer,
  facebook: oneOf(facebookIssuer),
  google: oneOf(googleIssuer, googleIssuerInShort),
  kakao: oneOf(kakaoIssuer),
  keycloak: (issuer, { url }) => (issuer === url ? issuer : null),
  linkedin_oidc: oneOf(linkedinIssuer),
  snapchat: oneOf(snapchatIssuer),
  vercel_marketplace: oneOf(vercelMarketplaceIssuer),
} satisfies Partial<Record<ProviderName, IssuerRule>>
