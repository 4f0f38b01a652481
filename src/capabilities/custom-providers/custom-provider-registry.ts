import type { ProviderRegistry } from '../../credentials/external/provider-registry.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { RegistryNeeds } from '../capability.ts'
import { findCustomProvider } from './custom-providers.sql.ts'
import { isIdentifier } from './identifier.ts'

const binderOf = memoize(async (needs: RegistryNeeds) => {
  const { customProviderBinder } = await import('./bind-custom-provider.ts')
  return customProviderBinder(needs)
})

/**
 * Returns the registered providers. Each use reads the row, so that changes are effective in every
 * process at once.
 */
export const openCustomProviders = (needs: RegistryNeeds): ProviderRegistry => ({
  find: async (identifier) => {
    if (!needs.config.customOauth.enabled || !isIdentifier(identifier)) return null
    const row = await findCustomProvider(needs.sql, identifier)
    return row && (await binderOf(needs))(row)
  },
})
