import type { Deps } from '../../accounts/auth-context.ts'
import { isOlder } from '../../platform/kit/clock.ts'
import type { GivenSettings } from '../../service/api/pages-service.ts'
import { checkMail } from '../../service/doctor/check-mail.ts'
import { findTexts } from '../../service/doctor/check-mail-records.ts'
import { checkProviders } from '../../service/doctor/check-providers.ts'
import type { Finding } from '../../service/doctor/finding.ts'

interface OutsideFindings {
  /** The time at which the checks began. */
  at: Date
  findings: readonly Finding[]
}

export type CheckOutside = () => Promise<OutsideFindings>

/** How long a result is used again, so that reloaded pages open no connections. */
const lifetimeMs = 30_000

interface Needs {
  deps: Pick<Deps, 'config' | 'clock'>
  settings: Pick<GivenSettings, 'nameOf'>
}

/**
 * Returns the checks of mail server, mail records and providers. They connect to other servers;
 * concurrent requests share them.
 */
export function createOutsideChecks({ deps, settings }: Needs): CheckOutside {
  const { config, clock } = deps
  const { nameOf } = settings
  let latest: { at: Date; result: Promise<OutsideFindings> } | null = null
  const check = async (at: Date): Promise<OutsideFindings> => {
    const found = await Promise.all([
      checkMail({ config, nameOf, selectors: [], findTexts }),
      checkProviders({ config, nameOf }),
    ])
    return { at, findings: found.flat() }
  }
  return () => {
    const at = clock.now()
    if (latest && !isOlder(latest.at, lifetimeMs, at)) return latest.result
    const result = check(at)
    latest = { at, result }
    result.catch(() => {
      if (latest?.result === result) latest = null
    })
    return result
  }
}
