import type {
  ExternalProfile,
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import {
  type DefinedProvider,
  defineProvider,
  type ProviderClientConfig,
  requireUrl,
} from './define-provider.ts'
import { readStandardClaims } from './profile.ts'

export interface OAuth2Options
  extends ProviderClientConfig,
    Pick<
      ProviderDefinition,
      'issuer' | 'scopes' | 'parameters' | 'clientAuthentication' | 'usesCodeVerifier'
    > {
  /** The URL of authorization requests. */
  authorizationUrl: string
  /** The URL that exchanges codes for tokens. */
  tokenUrl: string
  /** The URL of the user's profile as JSON, requested with the access token as bearer. */
  profileUrl: string
  /** The name that users read. Default: the host of `authorizationUrl`. */
  label?: string
  /**
   * Reads the profile. Default: the standard claims of OpenID Connect, with `id` as subject where
   * there is no `sub`. An address is verified only if `email_verified` is true.
   */
  readProfile?: (profile: JsonReader) => ExternalProfile
}

/**
 * Defines an OAuth 2.0 provider by its endpoints. Codes are bound to a code verifier unless
 * `usesCodeVerifier` is false.
 *
 * ```ts
 * providers: {
 *   acme: oauth2({
 *     authorizationUrl: 'https://acme.example/authorize',
 *     tokenUrl: 'https://acme.example/token',
 *     profileUrl: 'https://acme.example/me',
 *     clientId: '…',
 *     clientSecret: '…',
 *   }),
 * }
 * ```
 *
 * @throws ConfigError when a URL is invalid.
 * @see RFC 6749 §4.1
 */
export function oauth2({
  authorizationUrl,
  tokenUrl,
  profileUrl,
  label,
  readProfile = readAnyProfile,
  ...others
}: OAuth2Options): DefinedProvider {
  const { host } = requireUrl('authorizationUrl', authorizationUrl)
  requireUrl('tokenUrl', tokenUrl)
  requireUrl('profileUrl', profileUrl)
  return defineProvider({
    usesCodeVerifier: true,
    ...others,
    label: label ?? host,
    endpoints: () => ({ authorization: authorizationUrl, token: tokenUrl }),
    readProfile: async ({ get }) => readProfile(await get(profileUrl)),
  })
}

const readAnyProfile = (profile: JsonReader): ExternalProfile =>
  readStandardClaims(profile, profile.value('sub') === undefined ? 'id' : 'sub')
