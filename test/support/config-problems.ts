import type { AuthConfig } from '../../src/index.ts'
import { checkConfig } from '../../src/platform/config/check-config.ts'
import { ConfigError } from '../../src/platform/errors/start-errors.ts'

export const secret = 'a-secret-of-more-than-thirty-two-bytes'

/** The minimum configuration of production. */
export const minimal: AuthConfig = {
  siteUrl: 'https://app.example.com',
  database: 'postgres://user:hunter2@db.example.com/app',
  jwt: { secret },
  email: { autoconfirm: true },
  rateLimits: { header: 'off' },
}

export const resolve = (changes: AuthConfig = {}) => checkConfig({ ...minimal, ...changes }).config

/** Returns the defects of a configuration, by path. */
export function problemsOf(
  given: unknown,
  options?: { production: boolean },
): Record<string, string> {
  try {
    checkConfig(given as AuthConfig, options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return Object.fromEntries(error.problems.map(({ path, message }) => [path, message]))
  }
  return {}
}

export const problemsWith = (changes: object) => problemsOf({ ...minimal, ...changes })
