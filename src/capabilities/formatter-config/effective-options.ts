import { configSchema } from './config-schema.ts'
import type { SqlFormatterConfig } from './formatter-config.ts'

/** The defaults of the formatter that the schema does not contain. */
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

/** Returns the options for the formatter: defaults are filled in, other properties are removed. */
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

/** Keeps the members of an entry that a file may contain. The formatter would use others, too. */
function usedParamTypes(paramTypes: NonNullable<SqlFormatterConfig['paramTypes']>) {
  const { custom, ...others } = withoutGaps(paramTypes)
  return { ...others, ...(custom && { custom: custom.map(({ regex }) => ({ regex })) }) }
}

/** Removes `undefined` properties, which would override defaults of the formatter. */
const withoutGaps = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T
