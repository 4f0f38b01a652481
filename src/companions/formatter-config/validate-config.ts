import { isRecord } from '../../platform/kit/is-record.ts'
import type { SqlFormatterProblem } from './formatter-config.ts'
import { schemaProblems } from './schema-problems.ts'
import { tryPatterns } from './try-patterns.ts'

/**
 * Finds all that is wrong with a configuration, each with its path: what the JSON schema refuses (`schema`), and numbers and
 * regular expressions that cannot be used (`use`). Expressions are tried in a thread of their own, for a second at most.
 *
 * @returns no problem where it can be used.
 */
export const validateSqlFormatterConfig = (value: unknown): Promise<SqlFormatterProblem[]> =>
  configProblems(value)

/** @param text what the configuration is to format, where that is known: regular expressions are tried on it, too. */
export async function configProblems(
  value: unknown,
  text?: string,
): Promise<SqlFormatterProblem[]> {
  return [
    ...schemaProblems(value),
    ...endlessNumbers(value),
    ...(await patternProblems(value, text)),
  ]
}

/** `1e999`, which JSON takes. */
function endlessNumbers(value: unknown): SqlFormatterProblem[] {
  if (!isRecord(value)) return []
  return ['expressionWidth', 'linesBetweenQueries', 'tabWidth']
    .filter((name) => value[name] === Number.POSITIVE_INFINITY)
    .map((path) => ({ path, kind: 'use', message: 'must be finite' }))
}

/** Of each there is something to tell. */
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

/** Those that there are, whatever else is wrong. */
function patternsOf(value: unknown): { path: string; regex: string }[] {
  const paramTypes = isRecord(value) ? value['paramTypes'] : null
  const custom = isRecord(paramTypes) ? paramTypes['custom'] : null
  if (!Array.isArray(custom)) return []
  return custom.flatMap((entry, at) => {
    const regex = isRecord(entry) ? entry['regex'] : null
    return typeof regex === 'string' ? [{ path: `paramTypes.custom[${at}].regex`, regex }] : []
  })
}
