// The entry point `latchkey/sql`.
export { formatSql } from './format-sql.ts'
export type {
  SqlCasing,
  SqlFormatterConfig,
  SqlFormatterProblem,
  SqlLanguage,
  SqlParamTypes,
} from './formatter-config.ts'
export {
  SqlFormatError,
  SqlFormatterConfigError,
  SqlFormatterMissingError,
} from './formatter-errors.ts'
export { type LoadedSqlFormatterConfig, loadSqlFormatterConfig } from './load-config.ts'
export { validateSqlFormatterConfig } from './validate-config.ts'
