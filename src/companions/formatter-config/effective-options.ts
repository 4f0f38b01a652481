import { configSchema } from './config-schema.ts'
import type { SqlFormatterConfig } from './formatter-config.ts'

/** What the formatter does where the schema names no default. */
const unnamedDefaults = {
  dataTypeCase: 'preserve',
  functionCase: 'preserve',
  keywordCase: 'preserve',
  identifierCase: 'preserve',
  tabWidth: 2,
} as const

const namedDefaults = Object.fromEntries(
  Object.entries(configSchema.properties ?? {})
    .filter(([, schema]) => schema.default !== undefined)
    .map(([name, schema]) => [name, schema.default]),
)

/** What a configuration comes to: the defaults filled in, and nothing that the formatter has no use for. */
export function effectiveOptions(config: SqlFormatterConfig): SqlFormatterConfig {
  const { $schema: _, language, paramTypes, ...layout } = withoutGaps(config)
  return {
    language,
    ...unnamedDefaults,
    ...namedDefaults,
    ...layout,
    ...(paramTypes && { paramTypes: usedParamTypes(paramTypes) }),
  }
}

/** The formatter takes more in an entry than a file may say. */
function usedParamTypes(paramTypes: NonNullable<SqlFormatterConfig['paramTypes']>) {
  const { custom, ...others } = withoutGaps(paramTypes)
  return { ...others, ...(custom && { custom: custom.map(({ regex }) => ({ regex })) }) }
}

/** A property that is there and `undefined` would take the place of the formatter's default. */
const withoutGaps = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
