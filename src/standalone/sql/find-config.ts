import type { SqlFormatterConfig } from '../../companions/formatter-config/formatter-config.ts'
import { loadSqlFormatterConfig } from '../../companions/formatter-config/load-config.ts'

/** A configuration, and the file it came from: null where there is none, and the defaults are taken. */
export interface FoundConfig {
  path: string | null
  config: SqlFormatterConfig
}

/**
 * The configuration of the working folder or of one above it; without one, PostgreSQL by the defaults.
 *
 * @throws SqlFormatterConfigError when there is one that cannot be used.
 */
export const findConfig = async (): Promise<FoundConfig> =>
  (await loadSqlFormatterConfig('.')) ?? { path: null, config: { language: 'postgresql' } }
