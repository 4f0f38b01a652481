import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import type { ProviderConfig } from '../../platform/config/sections/providers.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'

/** The OAuth client of the application at a provider of its own. */
export interface ProviderClientConfig extends Omit<ProviderConfig, 'definition'> {
  clientId: string | readonly string[] | undefined
  clientSecret: string | undefined
}

/** A custom provider, in the form that the setting `providers` accepts. */
export type DefinedProvider = ProviderConfig & { definition: ProviderDefinition }

/**
 * Defines a provider that is not built in, with the client that you registered there.
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
  // Does not compile when a member is missing above.
  const config: ProviderClientConfig & { [member in keyof ProviderDefinition]?: never } = client
  return { ...config, definition }
}

/**
 * @throws ConfigError unless the value is a URL with `http:` or `https:` and without credentials.
 */
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
