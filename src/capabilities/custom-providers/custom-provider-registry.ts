import type { ListedProvider, ProviderRegistry } from '../../credentials/external/provider.ts'
import { isOlder } from '../../platform/kit/clock.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { RegistryNeeds } from '../capability.ts'
import { findCustomProvider, listEnabledProviders } from './custom-providers.sql.ts'
import { isIdentifier } from './identifier.ts'

const binderOf = memoize(async (needs: RegistryNeeds) => {
  const { customProviderBinder } = await import('./bind-custom-provider.ts')
  return customProviderBinder(needs)
})

/** The maximum number of providers that pages show. */
const maxListed = 100

/** The time for which a list is used again, however often pages are opened. */
const listLifetimeMs = 5_000

/**
 * Returns the registered providers. Each use reads the row, so that changes are effective in every
 * process at once. Only their list is kept for some seconds.
 */
export function openCustomProviders(needs: RegistryNeeds): ProviderRegistry {
  const { config, clock, sql } = needs
  let kept: { at: Date; list: Promise<readonly ListedProvider[]> } | null = null

  return {
    find: async (identifier) => {
      if (!config.customOauth.enabled || !isIdentifier(identifier)) return null
      const row = await findCustomProvider(sql, identifier)
      return row && (await binderOf(needs))(row)
    },
    list: async () => {
      if (!config.customOauth.enabled) return []
      const at = clock.now()
      if (kept && !isOlder(kept.at, listLifetimeMs, at)) return kept.list
      const list = listEnabledProviders(sql, { limit: maxListed })
      const started = { at, list }
      kept = started
      list.catch(() => {
        if (kept === started) kept = null
      })
      return list
    },
  }
}
