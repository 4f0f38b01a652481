import type { Config } from '../config/config.ts'
import type { Clock } from '../kit/clock.ts'
import type { FetchAnswer, FetchOptions } from '../kit/safe-fetch.ts'
import type { Logger } from '../observability/logger.ts'
import { breachedPasswords } from './breached-passwords.ts'
import { createPasswordPolicy, type PasswordPolicy } from './password-policy.ts'

interface Needs {
  config: Config
  clock: Clock
  logger: Logger
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>
}

/** What the configuration asks of passwords. */
export function openPasswordPolicy({ config, ...needs }: Needs): PasswordPolicy {
  const { hibpEnabled, hibpFailClosed: failClosed, hibpUserAgent: userAgent } = config.passwords
  const { storage } = config
  const isBreached = hibpEnabled ? breachedPasswords({ ...needs, storage, userAgent }) : null
  return createPasswordPolicy({ rules: config.passwords, isBreached, failClosed })
}
