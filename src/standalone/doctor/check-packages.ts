import { loadHashAddons } from '../../credentials/passwords/hash-addons.ts'
import { openStrengthScore } from '../../credentials/passwords/strength-score.ts'
import { importRedis } from '../../limits/redis-buckets.ts'
import type { Config } from '../../platform/config/config.ts'
import {
  requiredPackages,
  requirePackages,
} from '../../platform/observability/opentelemetry/required-packages.ts'
import { type Finding, fine, problem } from '../../service/doctor/finding.ts'

/**
 * Checks the native addons, which `npm install --omit=optional` omits, and the optional packages,
 * which npm installs only on request.
 */
export async function checkPackages({
  passwords,
  telemetry,
  rateLimits,
}: Config): Promise<Finding[]> {
  const needed: { about: string; load: () => Promise<unknown> }[] = [
    { about: 'hashing', load: loadHashAddons },
  ]
  const exporting = requiredPackages(telemetry)
  if (exporting.length > 0) {
    needed.push({ about: 'telemetry', load: () => requirePackages(exporting) })
  }
  const { minScore } = passwords
  if (minScore > 0) needed.push({ about: 'passwords', load: () => openStrengthScore(minScore) })
  if (rateLimits.redisUrl !== null) {
    needed.push({ about: 'limits', load: () => importRedis('AUTH_RATE_LIMIT_REDIS_URL') })
  }
  return Promise.all(needed.map(findingOf))
}

async function findingOf(needed: {
  about: string
  load: () => Promise<unknown>
}): Promise<Finding> {
  try {
    await needed.load()
    return fine(needed.about, 'the required packages are installed')
  } catch (error) {
    const message = error instanceof Error ? error.message : error
    return problem(needed.about, message, 'install them where Latchkey is installed')
  }
}
