import { effectiveOptions } from './effective-options.ts'
import type { SqlFormatterConfig } from './formatter-config.ts'
import {
  SqlFormatError,
  SqlFormatterConfigError,
  SqlFormatterMissingError,
} from './formatter-errors.ts'
import { configProblems } from './validate-config.ts'

/**
 * Formats SQL for reading. What it says stays the same, save where {@link SqlFormatterConfig.denseOperators} joins operators.
 * Loads the optional package `sql-formatter`.
 *
 * @param text any number of statements. What stands between the comments `sql-formatter-disable` and `sql-formatter-enable`
 *   is left as it is.
 * @returns the text, which ends with one newline. Formatted again, it stays as it is.
 * @throws SqlFormatterConfigError when the configuration cannot be used, or a regular expression of it cannot be used on this text.
 * @throws SqlFormatError when the text cannot be parsed; the message says where.
 * @throws SqlFormatterMissingError when the package is not installed.
 */
export async function formatSql(text: string, config: SqlFormatterConfig): Promise<string> {
  const problems = await configProblems(config, text)
  if (problems.length > 0) throw new SqlFormatterConfigError(problems)
  const { format } = await loadFormatter()
  try {
    return `${format(text, effectiveOptions(config))}\n`
  } catch (error) {
    throw new SqlFormatError(firstLine(error))
  }
}

type Formatter = typeof import('sql-formatter')

/** What bundles a host's code would look for a literal name, and fail where the package is not installed. */
async function loadFormatter(): Promise<Formatter> {
  const name: string = 'sql-formatter'
  let loaded: Formatter
  try {
    loaded = await import(/* @vite-ignore */ /* webpackIgnore: true */ name)
  } catch (cause) {
    // That it was not found is said already.
    const isAbsent = Object(cause).code === 'ERR_MODULE_NOT_FOUND'
    throw new SqlFormatterMissingError(isAbsent ? undefined : { cause })
  }
  if ('formatDialect' in loaded) return loaded
  throw new SqlFormatterMissingError()
}

/** The rest is a hint, or the state of the parser on thousands of lines. */
const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? ''
