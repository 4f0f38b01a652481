import type { Config } from './config.ts'
import type { ResolvedProvider } from './sections/providers.ts'

/** Returns the enabled external providers of the configuration, by their names. */
export const enabledProviders = ({
  providers,
}: Pick<Config, 'providers'>): [name: string, provider: ResolvedProvider][] =>
  Object.entries(providers).filter(([, provider]) => provider.enabled)
