import type {
  ExternalProfile,
  JsonReader,
  ProviderDefinition,
  ProviderEndpoints,
} from '../../platform/config/sections/provider-definition.ts'
import {
  type DefinedProvider,
  defineProvider,
  type ProviderClientConfig,
  requireUrl,
} from './define-provider.ts'
import { readStandardClaims } from './profile.ts'

export interface OidcOptions
  extends ProviderClientConfig,
    Pick<ProviderDefinition, 'scopes' | 'parameters' | 'clientAuthentication'> {
  /** The issuer as in id tokens. Its discovery document contains the endpoints. */
  issuer: string
  /** The name that users read. Default: the host of `issuer`. */
  label?: string
  /** Reads the claims. Default: the standard claims. */
  readClaims?: (claims: JsonReader) => ExternalProfile
}

/**
 * Defines an OpenID Connect provider by its issuer. Default scopes: `openid email profile`. Codes
 * are bound to a code verifier and to a nonce.
 *
 * ```ts
 * providers: {
 *   acme: oidc({ issuer: 'https://id.acme.example', clientId: '…', clientSecret: '…', label: 'Acme' }),
 * }
 * ```
 *
 * @throws ConfigError when `issuer` is no URL.
 * @see OpenID Connect Core 1.0 §3.1
 */
export function oidc({ issuer, label, readClaims, ...others }: OidcOptions): DefinedProvider {
  const { host } = requireUrl('issuer', issuer)
  const readProfile = readClaims ?? ((claims: JsonReader) => readStandardClaims(claims))
  const isIssuer = (named: string) => withoutSlash(named) === withoutSlash(issuer)
  return defineProvider({
    scopes: ['openid', 'email', 'profile'],
    ...others,
    label: label ?? host,
    usesCodeVerifier: true,
    endpoints: async (_client, { discover }) =>
      readEndpoints(issuer, await discover(issuer, isIssuer)),
    readProfile: async (context) => {
      const claims = await context.verifyIdToken()
      const { userInfo } = context.endpoints
      if (claims.text('email') !== null || userInfo === undefined) return readProfile(claims)
      const described = await context.get(userInfo)
      // The response may describe another user. @see OpenID Connect Core 1.0 §5.3.2
      if (described.value('sub') !== claims.value('sub')) {
        throw new Error('the user info is of another subject than the id token')
      }
      const profile = readProfile(described)
      return { ...profile, claims: { ...profile.claims, iss: claims.text('iss') } }
    },
    idToken: {
      issuerOf: (named) => (isIssuer(named) ? issuer : null),
      readClaims: readProfile,
    },
  })
}

/** Ignores a slash at the end: with or without it, an issuer has one discovery document. */
const withoutSlash = (issuer: string) => issuer.replace(/\/$/, '')

function readEndpoints(issuer: string, document: JsonReader): ProviderEndpoints {
  const authorization = document.text('authorization_endpoint')
  const token = document.text('token_endpoint')
  const userInfo = document.text('userinfo_endpoint')
  if (authorization === null || token === null)
    throw new Error('the discovery document contains no endpoints')
  const announcesIssuer = document.isTrue('authorization_response_iss_parameter_supported')
  return {
    authorization,
    token,
    issuer,
    announcesIssuer,
    ...(userInfo !== null && { userInfo }),
  }
}
