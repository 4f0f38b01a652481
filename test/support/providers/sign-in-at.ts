import { bindProvider } from '../../../src/credentials/external/bind-provider.ts'
import { builtInProviders } from '../../../src/credentials/external/built-in-providers.ts'
import { createIssuers } from '../../../src/credentials/external/protocol/issuers.ts'
import type {
  AuthorizationOrder,
  ExternalSignIn,
  Provider,
} from '../../../src/credentials/external/provider.ts'
import type { ProviderName } from '../../../src/platform/config/provider-names.ts'
import type { ProviderClient } from '../../../src/platform/config/sections/provider-definition.ts'
import { systemClock } from '../../../src/platform/kit/clock.ts'
import { silentLogger } from '../../../src/platform/observability/logger.ts'
import { clientId, clientSecret, redirectUri } from './fake-provider.ts'
import type { ProviderServer } from './start-providers.ts'

export interface SignInOptions extends Partial<ProviderClient> {
  /** Default 5,000. */
  timeoutMs?: number
}

export const order: AuthorizationOrder = { state: 'state-1', scopes: [], parameters: {} }

/** Binds a provider to its fake, on its own hosts if no URL is given. Keycloak has none. */
export async function bindAt(
  server: ProviderServer,
  name: ProviderName,
  { timeoutMs = 5000, ...client }: SignInOptions = {},
): Promise<Provider> {
  const access = { fetch: server.fetchAs(name), timeoutMs, clock: systemClock }
  const issuers = createIssuers({
    ...access,
    logger: silentLogger,
    storage: null,
    cacheLifetimeMs: 3_600_000,
  })
  return bindProvider({ ...access, issuers }, name, await builtInProviders[name](), {
    clientId,
    clientIds: [clientId],
    clientSecret,
    redirectUri,
    url: name === 'keycloak' ? server.baseOf(name) : null,
    ...client,
  })
}

/**
 * Signs in at a provider with consent.
 *
 * @param back changes the parameters of the callback.
 */
export async function signInAt(
  server: ProviderServer,
  name: ProviderName,
  options: SignInOptions = {},
  back: (parameters: URLSearchParams) => void = () => {},
): Promise<ExternalSignIn> {
  const provider = await bindAt(server, name, options)
  const { url, ...kept } = await provider.createAuthorizationUrl(order)
  const parameters = await server.agree(name, url)
  back(parameters)
  return provider.handleCallback({ ...kept, parameter: (parameter) => parameters.get(parameter) })
}
