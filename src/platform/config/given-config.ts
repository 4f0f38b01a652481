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

/** Returns the configuration of a service; undefined for any other value. */
export const givenConfigOf = (value: object): AuthConfig | undefined =>
  (value as { [key]?: AuthConfig })[key]
