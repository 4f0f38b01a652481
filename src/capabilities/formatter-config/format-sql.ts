import { effectiveOptions } from './effective-options.ts'
import type { SqlFormatterConfig } from './formatter-config.ts'
import {
  SqlFormatError,
  SqlFormatterConfigError,
  SqlFormatterMissingError,
} from './formatter-errors.ts'
import { configProblems } from './validate-config.ts'

/**
 * Formats SQL without changing its meaning, except where {@link SqlFormatterConfig.denseOperators}
 * joins operators. Loads the optional package `sql-formatter`.
 *
 * @param text any number of statements. The text between the comments `sql-formatter-disable` and
 *   `sql-formatter-enable` is not changed.
 * @returns the formatted text, which ends with one newline. Formatting it again does not change it.
 * @throws SqlFormatterConfigError when the configuration is invalid, or one of its regular
 *   expressions fails on this text.
 * @throws SqlFormatError when the text cannot be parsed; the message contains the position.
 * @throws SqlFormatterMissingError when the package is not installed.
 */
export async function formatSql(text: string, config: SqlFormatterConfig): Promise<string> {
  const problems = await configProblems(config, text)
  if (problems.length > 0) throw new SqlFormatterConfigError(problems)
  const { format } = await loadFormatter()
  try {
    return `${format(text, effectiveOptions(config))}\n`
  } catch (error) {
    throw new SqlFormatError(describeSyntaxError(error))
  }
}

type Formatter = typeof import('sql-formatter')

/**
 * Imports the package by a variable: bundlers of a host would resolve a literal name, and fail
 * where it is not installed.
 */
async function loadFormatter(): Promise<Formatter> {
  const name: string = 'sql-formatter'
  let loaded: Formatter
  try {
    loaded = await import(/* @vite-ignore */ /* webpackIgnore: true */ name)
  } catch (cause) {
    // The message already states that the package is missing.
    const isAbsent = Object(cause).code === 'ERR_MODULE_NOT_FOUND'
    throw new SqlFormatterMissingError(isAbsent ? undefined : { cause })
  }
  if ('formatDialect' in loaded) return loaded
  throw new SqlFormatterMissingError()
}

/**
 * Returns the first line, and the position, which follows a token of several lines. The other lines
 * are a hint, or the state of the parser in thousands of lines.
 */
function describeSyntaxError(error: unknown): string {
  const message = String(error instanceof Error ? error.message : error)
  const [line = ''] = message.split('\n', 1)
  const position = / at line \d+ column \d+/.exec(message)?.[0] ?? ''
  return line.includes(position) ? line : `${line}…${position}`
}
