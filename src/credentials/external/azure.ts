import {
  acceptsAnyTenant,
  azureCommon,
  personalTenant,
  providerIssuers,
  tenantOf,
} from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalProfile,
  IssuerPublisher,
  JsonReader,
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { isTrueOrTrueText, oneEmail, readStandardClaims } from './profile.ts'

/** @see https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc */
export const azure: ProviderDefinition = {
  label: providerLabels.azure,
  endpoints: ({ url }) => ({
    authorization: `${url ?? azureCommon}/oauth2/v2.0/authorize`,
    token: `${url ?? azureCommon}/oauth2/v2.0/token`,
  }),
  scopes: ['openid'],
  usesCodeVerifier: true,
  readProfile: async ({ client, verifyIdToken }) => readClaims(await verifyIdToken(), client),
  idToken: {
    issuerOf: providerIssuers.azure,
    publisherOf,
    readClaims,
  },
}

/**
 * Returns the document of all tenants for a client that accepts any tenant, so that a token cannot
 * choose which URL is requested. The keys in it contain `{tenantid}`, or the one tenant that they
 * sign for.
 *
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens#validate-the-issuer
 */
function publisherOf(issuer: string, client: ProviderClient): IssuerPublisher | null {
  const tenant = tenantOf(issuer)
  if (tenant === null || !acceptsAnyTenant(client)) return null
  const base = client.url ?? azureCommon
  const names = [
    `https://login.microsoftonline.com/${tenant}/v2.0`,
    `https://sts.windows.net/${tenant}/`,
  ]
  return {
    url: issuer.endsWith('/v2.0') ? `${base}/v2.0` : base,
    includes: (named) => names.includes(named.replace('{tenantid}', tenant)),
  }
}

function readClaims(claims: JsonReader, client: ProviderClient): ExternalProfile {
  const issuer = claims.text('iss')
  const tenant = tenantOf(issuer)
  const tid = claims.text('tid')
  if (tenant !== null && tid !== null && tid !== tenant) {
    throw new Error('the id token names another tenant than its issuer')
  }
  // `appid` occurs in access tokens of version 1, and is the `azp` of version 2.
  const requester = claims.text('appid')
  if (requester !== null && !client.clientIds.includes(requester)) {
    throw new Error('the token was issued to another client')
  }
  const isPlain = tenant === null || !issuer?.endsWith('/v2.0')
  return {
    subject: claims.text('sub'),
    emails: oneEmail(claims.text('email'), isEmailVerified(claims, client, tenant)),
    claims: isPlain
      ? readStandardClaims(claims).claims
      : {
          iss: issuer,
          preferred_username: claims.text('preferred_username'),
          full_name: claims.text('name'),
          custom_claims: withoutPlaced(claims),
        },
  }
}

/**
 * Returns whether the address of an id token is verified.
 *
 * The administrator of a tenant can assign any address to its users. Without `xms_edov`, an
 * optional claim of the application, an address is verified only in a tenant that the operator
 * configured, or in Microsoft's directory of personal accounts. `email_verified`, which customer
 * tenants send, never verifies an address: it can only deny it.
 */
function isEmailVerified(
  claims: JsonReader,
  client: ProviderClient,
  tenant: string | null,
): boolean {
  const isDenied =
    claims.value('email_verified') !== undefined && !isTrueOrTrueText(claims, 'email_verified')
  if (isDenied) return false
  const verification = claims.value('xms_edov')
  if (verification !== undefined) return [true, '1', 'true'].some((yes) => verification === yes)
  return !acceptsAnyTenant(client) || tenant === personalTenant
}

/** Claims about the token rather than the user, and claims that have a field of their own. */
const placed = new Set([
  'aud',
  'iss',
  'iat',
  'nbf',
  'exp',
  'c_hash',
  'at_hash',
  'aio',
  'nonce',
  'rh',
  'uti',
  'jti',
  'ver',
  'sub',
  'name',
  'preferred_username',
])

function withoutPlaced(claims: JsonReader): Record<string, unknown> {
  const all = claims.value()
  const others = Object.entries(isRecord(all) ? all : {}).filter(([name]) => !placed.has(name))
  return Object.fromEntries(others)
}
