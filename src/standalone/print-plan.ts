import { formatSql } from '../capabilities/formatter-config/format-sql.ts'
import type { SqlFormatterConfig } from '../capabilities/formatter-config/formatter-config.ts'
import { loadSqlFormatterConfig } from '../capabilities/formatter-config/load-config.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import type { PlannedStep } from '../service/persistence/migrate.ts'

/**
 * Prints the pending steps of the schema as SQL. A step that cannot be formatted is printed
 * unchanged, with the reason on standard error: a formatting error must not hide the plan.
 */
export async function printPlan(steps: readonly PlannedStep[]): Promise<string[]> {
  if (steps.length === 0) return []
  const layout = await layoutOfPlan()
  const texts: string[] = []
  for (const { name, statements } of steps) {
    const text = statements.map((statement) => `${statement};\n`).join('')
    texts.push(`-- ${name}\n${await inLayout(text, layout)}`)
  }
  return texts.join('\n').trimEnd().split('\n')
}

/** Returns null if the plan cannot be formatted; without a remark if no format is configured. */
async function layoutOfPlan(): Promise<SqlFormatterConfig | null> {
  let isConfigured = true
  try {
    const { path, config } = await findConfig()
    isConfigured = path !== null
    if (config.language !== 'postgresql') {
      remark(`${path}: language: the plan is PostgreSQL, and formatted as such`)
    }
    // Dense operators can change the meaning, so that the printed SQL would differ from the
    // executed one.
    const layout: SqlFormatterConfig = { ...config, language: 'postgresql', denseOperators: false }
    await formatSql('', layout)
    return layout
  } catch (error) {
    if (isConfigured) remark(`warning: the plan is not formatted\n${describeError(error)}`)
    return null
  }
}

async function inLayout(text: string, layout: SqlFormatterConfig | null): Promise<string> {
  if (!layout) return text
  try {
    return await formatSql(text, layout)
  } catch (error) {
    return `-- not formatted: ${describeError(error).replaceAll('\n', '; ')}\n${text}`
  }
}

const remark = (text: string) => process.stderr.write(`${text}\n`)

/** A configuration and its file; null if there is none and the defaults apply. */
interface FoundConfig {
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
