import type { SqlFormatterConfig } from '../../capabilities/formatter-config/formatter-config.ts'
import { loadSqlFormatterConfig } from '../../capabilities/formatter-config/load-config.ts'

/** A configuration and its file; null if there is none and the defaults apply. */
export interface FoundConfig {
  path: string | null
  config: SqlFormatterConfig
}

/**
 * Returns the configuration of the working folder or of a parent folder; without one, the defaults
 * for PostgreSQL.
 *
 * @throws SqlFormatterConfigError if it is invalid.
 */
export const findConfig = async (): Promise<FoundConfig> =>
  (await loadSqlFormatterConfig('.')) ?? { path: null, config: { language: 'postgresql' } }
