import type { AuthConfig } from './auth-config.ts'

/**
 * The key of the configuration of a service, for the command line. A registered symbol, since an
 * application and the command may load two copies of the package.
 */
const key = Symbol.for('latchkey.config')

/** Attaches a configuration to its service. It is not enumerable: printing a service shows no secret. */
export const withGivenConfig = <Service extends object>(
  service: Service,
  config: () => AuthConfig,
): Service => Object.defineProperty(service, key, { get: config })

/**
 * Checks a configuration, and attaches it to the error of the check: a command that needs a part of
 * the settings continues with them.
 */
export function withConfigInError<Checked>(config: AuthConfig, check: () => Checked): Checked {
  try {
    return check()
  } catch (error) {
    throw error instanceof Error ? withGivenConfig(error, () => config) : error
  }
}

/** Returns the configuration of a service, or of its error; undefined for any other value. */
export const givenConfigOf = (value: object): AuthConfig | undefined =>
  (value as { [key]?: AuthConfig })[key]
