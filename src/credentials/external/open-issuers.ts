import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { timeoutMsOf } from './open-providers.ts'
import { createIssuers, type Issuers } from './protocol/issuers.ts'
import type { Fetch } from './protocol/request-provider.ts'

interface Needs {
  config: Config
  fetch: Fetch
  clock: Clock
  logger: Logger
}

/** Returns the published documents of issuers, cached as the configuration specifies. */
export const openIssuers = ({ config, ...needs }: Needs): Issuers =>
  createIssuers({
    ...needs,
    timeoutMs: timeoutMsOf(config),
    storage: config.storage,
    cacheLifetimeMs: config.externalSignIn.discoveryLifetimeSeconds * 1000,
  })
