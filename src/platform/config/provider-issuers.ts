import type { ProviderName } from './provider-names.ts'
import type { ProviderClient } from './sections/provider-definition.ts'

/**
 * The issuer whose discovery document and keys verify a token that names `issuer`; null for an issuer
 * that the provider does not have.
 */
export type IssuerRule = (issuer: string, client: Pick<ProviderClient, 'url'>) => string | null

export const appleIssuer = 'https://appleid.apple.com'
export const facebookIssuer = 'https://www.facebook.com'
export const googleIssuer = 'https://accounts.google.com'
const googleIssuerInShort = 'accounts.google.com'

/** The names of Google as an issuer. */
export const googleIssuers: readonly string[] = [googleIssuer, googleIssuerInShort]

export const kakaoIssuer = 'https://kauth.kakao.com'
export const linkedinIssuer = 'https://www.linkedin.com/oauth'
export const snapchatIssuer = 'https://accounts.snapchat.com/accounts/oauth2/token'
export const vercelMarketplaceIssuer = 'https://marketplace.vercel.com'

/** The first name of an issuer is the one of its discovery document. */
const oneOf =
  (issuer: string, ...aliases: readonly string[]): IssuerRule =>
  (named) =>
    named === issuer || aliases.includes(named) ? issuer : null

/** Base URL of Microsoft's multi-tenant endpoint, the default of `azure`. */
export const azureCommon = 'https://login.microsoftonline.com/common'

/** The tenant of personal Microsoft accounts. */
export const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const tenantIssuer = new RegExp(
  `^https://(?:login\\.microsoftonline\\.com/(${guid})/v2\\.0|sts\\.windows\\.net/(${guid})/)$`,
)
const microsoftBase = /^https:\/\/login\.microsoftonline\.com\/([^/]+)$/

/** The tenant id in an issuer of Microsoft, of version 2 or 1; null in any other. */
export const tenantOf = (issuer: string | null): string | null => {
  const [, current, old] = tenantIssuer.exec(issuer ?? '') ?? []
  return current ?? old ?? null
}

/** The tenant, or group of tenants, that a base URL of `login.microsoftonline.com` names. */
export const tenantsOfBase = ({ url }: Pick<ProviderClient, 'url'>): string | null =>
  microsoftBase.exec(url ?? azureCommon)?.[1]?.toLowerCase() ?? null

/** Whether the operator accepts organisations that anyone can create. */
export const acceptsAnyTenant = (client: Pick<ProviderClient, 'url'>): boolean =>
  ['common', 'organizations'].includes(tenantsOfBase(client) ?? '')

/** Anyone can create a tenant: the configured URL names the accepted ones. */
const azureIssuer: IssuerRule = (issuer, client) => {
  const accepted = tenantsOfBase(client)
  // Customers (ciamlogin.com), national clouds and private servers.
  if (accepted === null) return issuer === `${client.url}/v2.0` ? issuer : null
  const tenant = tenantOf(issuer)
  if (tenant === null) return null
  if (accepted === 'common') return issuer
  if (accepted === 'organizations') return tenant === personalTenant ? null : issuer
  return tenant === (accepted === 'consumers' ? personalTenant : accepted) ? issuer : null
}

/** The issuers of the built-in providers that issue id tokens. */
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
