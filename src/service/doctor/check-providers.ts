import { builtInProviders } from '../../credentials/external/built-in-providers.ts'
import { clientOf, openIssuers } from '../../credentials/external/open-providers.ts'
import type { Issuers } from '../../credentials/external/protocol/issuers.ts'
import type { Fetch } from '../../credentials/external/protocol/request-provider.ts'
import type { Config } from '../../platform/config/config.ts'
import { findProviderConfig } from '../../platform/config/custom-providers.ts'
import type { ProviderName } from '../../platform/config/provider-names.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type Finding, fine, problem } from './finding.ts'

interface Needs {
  config: Config
  /** Returns the name of a setting, for remedies. */
  nameOf(path: string): string
}

/**
 * Checks that the enabled OpenID providers and the allowed issuers publish the metadata that
 * sign-ins need.
 */
export async function checkProviders(
  { config, nameOf }: Needs,
  fetch: Fetch = safeFetch,
): Promise<Finding[]> {
  const issuers = openIssuers({ config, fetch, clock: systemClock, logger: silentLogger })
  const names = Object.keys(config.providers).filter(
    (name) => findProviderConfig(config, name)?.enabled,
  )
  const ofProviders = names.map(async (name) => {
    const queried: string[] = []
    const settings = findProviderConfig(config, name)
    return (
      settings &&
      findingOf({ name, queried, setting: nameOf(`providers.${name}.url`) }, () =>
        lookUp(name, settings, noting(issuers, queried)),
      )
    )
  })
  const ofIssuers = Object.keys(config.externalSignIn.allowedIdTokenIssuers).map((issuer) =>
    findingOf(
      {
        name: issuer,
        queried: [issuer],
        setting: nameOf('externalSignIn.allowedIdTokenIssuers'),
      },
      () => requireKeys(issuers, issuer),
    ),
  )
  const findings = await Promise.all([...ofProviders, ...ofIssuers])
  return findings.filter((finding) => finding !== null)
}

type LookUp = Pick<Issuers, 'discover' | 'findKeys'>

/**
 * Looks up the metadata that an authorization request needs, and the keys of the issuer of its ID
 * tokens.
 */
async function lookUp(name: string, settings: ResolvedProvider, issuers: LookUp): Promise<void> {
  const provider = settings.definition ?? (await builtInProviders[name as ProviderName]?.())
  // Providers of OAuth 1.0a publish no metadata.
  if (!provider || typeof provider === 'function') return
  const client = clientOf(settings)
  const { issuer: discovered, authorization } = await provider.endpoints(client, issuers)
  const origin = URL.parse(authorization)?.origin ?? ''
  const known = [client.url ?? '', origin].map((url) => provider.idToken?.issuerOf(url, client))
  const issuer = discovered ?? known.find((one) => one != null)
  if (issuer != null) await requireKeys(issuers, issuer)
}

async function requireKeys(issuers: LookUp, issuer: string): Promise<void> {
  const document = await issuers.discover(issuer, () => true)
  await issuers.findKeys({ issuer, document, kid: null, algorithm: 'RS256' })
}

const noting = (issuers: Issuers, queried: string[]): LookUp => ({
  discover: (issuer, isAlias) => {
    queried.push(issuer)
    return issuers.discover(issuer, isAlias)
  },
  findKeys: issuers.findKeys,
})

/** Returns null if there was nothing to look up. */
async function findingOf(
  { name, queried, setting }: { name: string; queried: readonly string[]; setting: string },
  look: () => Promise<void>,
): Promise<Finding | null> {
  const about = `provider ${name}`
  try {
    await look()
    return queried.length === 0 ? null : fine(about, `${queried[0]} publishes endpoints and keys`)
  } catch (error) {
    return problem(
      about,
      error,
      `check that this machine reaches ${queried[0] ?? 'it'}, and that ${setting} contains the issuer's address`,
    )
  }
}
