import type { Config } from '../../platform/config/config.ts'
import { enabledProviders } from '../../platform/config/enabled-providers.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { clientOf } from './open-providers.ts'
import type { Issuers } from './protocol/issuers.ts'

interface Needs {
  config: Pick<Config, 'providers'>
  issuers: Issuers
  logger: Logger
}

/**
 * Warns of providers that share a redirect URI and do not announce `iss`: neither the path of a
 * callback nor its parameters prove which provider sent a response. Reads the discovery documents
 * of such providers only. Does not reject.
 *
 * @see RFC 9700 §4.4.2
 */
export async function warnOfSharedCallbacks({ config, issuers, logger }: Needs): Promise<void> {
  const groups = Map.groupBy(enabledProviders(config), ([, { redirectUri }]) => redirectUri)
  for (const [redirectUri, group] of groups) {
    if (group.length < 2) continue
    const announced = await Promise.all(group.map(([, one]) => announcesIssuer(issuers, one)))
    const providers = group.filter((_, index) => !announced[index]).map(([name]) => name)
    if (providers.length === 0) continue
    const message =
      'providers share a callback without announcing iss: give each the redirect URI /callback/<provider>'
    logger.warn({ providers: providers.join(', '), redirectUri }, message)
  }
}

/** Returns whether a provider announces `iss`. No built-in provider is known to do so. */
async function announcesIssuer(issuers: Issuers, provider: ResolvedProvider): Promise<boolean> {
  const { definition } = provider
  if (definition === null) return false
  try {
    return (await definition.endpoints(clientOf(provider), issuers)).announcesIssuer === true
  } catch {
    return false
  }
}
