import type {
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { oauth2Provider, type ProviderNeeds } from './protocol/oauth2-provider.ts'
import type { Provider } from './provider.ts'

/** Binds a provider whose protocol is neither OAuth 2.0 nor OpenID Connect. */
export type BindProvider = (needs: ProviderNeeds, name: string, client: ProviderClient) => Provider

/** Binds a provider to its configured client. */
export const bindProvider = (
  needs: ProviderNeeds,
  name: string,
  provider: ProviderDefinition | BindProvider,
  client: ProviderClient,
): Provider =>
  typeof provider === 'function'
    ? provider(needs, name, client)
    : oauth2Provider(needs, name, provider, client)
