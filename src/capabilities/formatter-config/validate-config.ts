import { isRecord } from '../../platform/kit/is-record.ts'
import type { SqlFormatterProblem } from './formatter-config.ts'
import { schemaProblems } from './schema-problems.ts'
import { tryPatterns } from './try-patterns.ts'

/**
 * Returns all defects of a configuration, each with its path: violations of the JSON schema
 * (`schema`), and numbers and regular expressions that fail in use (`use`). Expressions are tested
 * in a thread, for a second at most.
 *
 * @returns an empty list for a valid configuration.
 */
export const validateSqlFormatterConfig = (value: unknown): Promise<SqlFormatterProblem[]> =>
  configProblems(value)

/** @param text the text to format, if it is known. Regular expressions are tested on it, too. */
export async function configProblems(
  value: unknown,
  text?: string,
): Promise<SqlFormatterProblem[]> {
  return [
    ...schemaProblems(value),
    ...excessiveNumbers(value),
    ...(await patternProblems(value, text)),
  ]
}

/** The maximum of each number. More spaces or lines than these would exceed the memory. */
const maxima = {
  expressionWidth: Number.MAX_SAFE_INTEGER,
  linesBetweenQueries: 1000,
  tabWidth: 1000,
}

/** Rejects numbers above their maximum, such as `1e999`, which is valid JSON and infinite. */
function excessiveNumbers(value: unknown): SqlFormatterProblem[] {
  if (!isRecord(value)) return []
  return Object.entries(maxima).flatMap(([path, most]) => {
    const number = value[path]
    const isExcessive = typeof number === 'number' && number > most
    return isExcessive ? [{ path, kind: 'use' as const, message: `must be at most ${most}` }] : []
  })
}

/** The maximum number of expressions. Each may have an error message. */
const maxPatterns = 10_000

async function patternProblems(value: unknown, text?: string): Promise<SqlFormatterProblem[]> {
  const patterns = patternsOf(value)
  if (patterns.length > maxPatterns) {
    const message = `must be at most ${maxPatterns} expressions (got ${patterns.length})`
    return [{ path: 'paramTypes.custom', kind: 'use', message }]
  }
  const faults = await tryPatterns(
    patterns.map(({ regex }) => regex),
    text,
  )
  return patterns.flatMap(({ path }, at) => {
    const message = faults[at]
    return message ? [{ path, kind: 'use' as const, message }] : []
  })
}

/** Returns the expressions of a configuration, whatever other defects it has. */
function patternsOf(value: unknown): { path: string; regex: string }[] {
  const paramTypes = isRecord(value) ? value['paramTypes'] : null
  const custom = isRecord(paramTypes) ? paramTypes['custom'] : null
  if (!Array.isArray(custom)) return []
  return custom.flatMap((entry, at) => {
    const regex = isRecord(entry) ? entry['regex'] : null
    return typeof regex === 'string' ? [{ path: `paramTypes.custom[${at}].regex`, regex }] : []
  })
}
