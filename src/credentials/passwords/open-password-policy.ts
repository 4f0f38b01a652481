import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { breachedPasswords } from './breached-passwords.ts'
import { createPasswordPolicy, type PasswordPolicy } from './password-policy.ts'
import { openStrengthScore } from './strength-score.ts'

interface Needs {
  config: Config
  clock: Clock
  logger: Logger
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>
}

/**
 * Creates the password policy of the configuration.
 *
 * @throws PasswordScoreMissingError when it requires a score whose package is not installed.
 */
export async function openPasswordPolicy({ config, ...needs }: Needs): Promise<PasswordPolicy> {
  const { hibpEnabled, hibpFailClosed: failClosed, hibpUserAgent: userAgent } = config.passwords
  const { minScore } = config.passwords
  const { storage } = config
  const isBreached = hibpEnabled ? breachedPasswords({ ...needs, storage, userAgent }) : null
  const findLowScore = minScore > 0 ? await openStrengthScore(minScore) : null
  return createPasswordPolicy({ rules: config.passwords, isBreached, findLowScore, failClosed })
}
