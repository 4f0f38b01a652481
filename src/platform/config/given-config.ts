import type { AuthConfig } from './config.ts'
import { customProvidersIn } from './custom-providers.ts'
import { givenIn } from './read-settings.ts'
import { createReport } from './report.ts'
import type { DatabaseConfig } from './sections/database.ts'
import { settingsWith } from './settings.ts'
import { expandShorthands } from './shorthands.ts'

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

/** Returns the paths of the settings that a configuration contains, before defaults. */
export function givenPathsOf(given: AuthConfig): ReadonlySet<string> {
  const report = createReport()
  const tree = expandShorthands(given, report)
  const settings = settingsWith(customProvidersIn(tree, report))
  const { has } = givenIn(tree, settings, report)
  return new Set(settings.filter(({ path }) => has(path)).map(({ path }) => path))
}

/** The settings of the database that were given, without defaults. */
export const databaseOf = ({ database }: AuthConfig): DatabaseConfig =>
  typeof database === 'string' ? { url: database } : (database ?? {})
