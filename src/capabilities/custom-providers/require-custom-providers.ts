import type { Config } from '../../platform/config/config.ts'
import { customProvidersDisabled } from './custom-provider-errors.ts'

/**
 * Rejects the request where the configuration disables registered providers.
 *
 * @throws AuthError `feature_disabled` (404).
 */
export function requireCustomProviders({ config }: { config: Config }): void {
  if (!config.customOauth.enabled) throw customProvidersDisabled()
}
