import type {
  ExternalProfile,
  JsonReader,
  ProviderClient,
  ProviderDefinition,
} from '../config/sections/provider-definition.ts'
import { isRecord } from '../kit/is-record.ts'
import { oneEmail } from './profile.ts'
import { readStandardClaims } from './standard-claims.ts'

const everybody = 'https://login.microsoftonline.com/common'

/** The tenant of all accounts that belong to no organisation. */
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const guid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const tenantIssuer = new RegExp(
  `^https://(?:login\\.microsoftonline\\.com/(${guid})/v2\\.0|sts\\.windows\\.net/(${guid})/)$`,
)
const microsoftBase = /^https:\/\/login\.microsoftonline\.com\/([^/]+)$/

/** @see https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc */
export const azure: ProviderDefinition = {
  label: 'Microsoft',
  endpoints: ({ url }) => ({
    authorization: `${url ?? everybody}/oauth2/v2.0/authorize`,
    token: `${url ?? everybody}/oauth2/v2.0/token`,
  }),
  scopes: ['openid'],
  usesCodeVerifier: true,
  readProfile: async ({ client, verifyIdToken }) => readClaims(await verifyIdToken(), client),
  idToken: {
    issuerOf: (issuer, client) => (isTrusted(issuer, client) ? issuer : null),
    readClaims,
  },
}

/** Anybody can have a tenant: which of them are meant is for the configured URL to say. */
function isTrusted(issuer: string, { url }: ProviderClient): boolean {
  const base = url ?? everybody
  const tenant = tenantOf(issuer)
  const [, meant] = microsoftBase.exec(base) ?? []
  if (meant === 'common') return tenant !== null
  if (meant === 'organizations') return tenant !== null && tenant !== personalTenant
  if (meant === 'consumers') return tenant === personalTenant
  if (meant !== undefined) return tenant === meant.toLowerCase()
  // Customers (ciamlogin.com), national clouds, and a server of one's own.
  return issuer === `${base}/v2.0`
}

const tenantOf = (issuer: string | null): string | null => {
  const [, current, old] = tenantIssuer.exec(issuer ?? '') ?? []
  return current ?? old ?? null
}

function readClaims(claims: JsonReader, client: ProviderClient): ExternalProfile {
  const issuer = claims.text('iss')
  const tenant = tenantOf(issuer)
  const tid = claims.text('tid')
  if (tenant !== null && tid !== null && tid !== tenant) {
    throw new Error('the id token names another tenant than its issuer')
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
 * A tenant may give its people any address, so one of a tenant that nobody chose counts for as much as Microsoft says it
 * does: `xms_edov`, an optional claim of the application.
 */
function isEmailVerified(
  claims: JsonReader,
  { url }: ProviderClient,
  tenant: string | null,
): boolean {
  const said = claims.value('xms_edov')
  if (said !== undefined) return said === true || said === '1' || said === 'true'
  const [, meant = null] = microsoftBase.exec(url ?? everybody) ?? []
  const isAnyTenant = meant === 'common' || meant === 'organizations'
  return !isAnyTenant || tenant === personalTenant
}

/** Claims about the token rather than the person, and those with a place of their own. */
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
