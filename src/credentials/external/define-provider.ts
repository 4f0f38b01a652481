import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import type { ProviderConfig } from '../../platform/config/sections/providers.ts'
import { ConfigError } from '../../platform/errors/config-error.ts'

/** The OAuth client that an application has at a provider of its own. */
export interface ProviderClientConfig extends Omit<ProviderConfig, 'definition'> {
  clientId: string | readonly string[] | undefined
  clientSecret: string | undefined
}

/** A provider of your own, as `providers` takes it. */
export type DefinedProvider = ProviderConfig & { definition: ProviderDefinition }

/**
 * Describes a provider that Latchkey does not know: what is particular about it, and the client that you have there.
 *
 * ```ts
 * providers: {
 *   acme: defineProvider({
 *     label: 'Acme',
 *     endpoints: () => ({ authorization: 'https://acme.example/authorize', token: 'https://acme.example/token' }),
 *     usesCodeVerifier: true,
 *     readProfile: async ({ get }) => {
 *       const user = await get('https://acme.example/me')
 *       return { subject: user.text('id'), emails: [], claims: { name: user.text('name') } }
 *     },
 *     clientId: '…',
 *     clientSecret: '…',
 *   }),
 * }
 * ```
 */
export function defineProvider({
  label,
  issuer,
  endpoints,
  scopes,
  takesScopes,
  parameters,
  takesParameters,
  clientAuthentication,
  issueClientSecret,
  usesCodeVerifier,
  readProfile,
  idToken,
  ...client
}: ProviderDefinition & ProviderClientConfig): DefinedProvider {
  const definition: ProviderDefinition = {
    label,
    endpoints,
    readProfile,
    ...(issuer !== undefined && { issuer }),
    ...(scopes !== undefined && { scopes }),
    ...(takesScopes !== undefined && { takesScopes }),
    ...(parameters !== undefined && { parameters }),
    ...(takesParameters !== undefined && { takesParameters }),
    ...(clientAuthentication !== undefined && { clientAuthentication }),
    ...(issueClientSecret !== undefined && { issueClientSecret }),
    ...(usesCodeVerifier !== undefined && { usesCodeVerifier }),
    ...(idToken !== undefined && { idToken }),
  }
  // A member that is forgotten above does not compile.
  const config: ProviderClientConfig & { [member in keyof ProviderDefinition]?: never } = client
  return { ...config, definition }
}

/** @throws ConfigError when it is no URL of the web, or one with credentials. */
export function requireUrl(option: string, given: unknown): URL {
  const url = typeof given === 'string' ? URL.parse(given) : null
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new ConfigError([
      { path: option, message: 'must be a URL such as https://id.example.com' },
    ])
  }
  return url
}
