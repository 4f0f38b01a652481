/** The supported languages, by their names in a configuration. Names are case-sensitive. */
export const sqlLanguages = [
  'sql',
  'bigquery',
  'clickhouse',
  'db2',
  'db2i',
  'duckdb',
  'hive',
  'mariadb',
  'mysql',
  'tidb',
  'n1ql',
  'plsql',
  'postgresql',
  'redshift',
  'singlestoredb',
  'snowflake',
  'spark',
  'sqlite',
  'transactsql',
  'trino',
] as const

export type SqlLanguage = (typeof sqlLanguages)[number]

/** `preserve` keeps the letter case of the text. */
export type SqlCasing = 'preserve' | 'upper' | 'lower'

/** The format of SQL: the content of `.sql-formatter.json`. */
export interface SqlFormatterConfig {
  /** The schema that editors validate the file with. Ignored otherwise. */
  $schema?: string
  /**
   * The language of the text. There is no detection. `sql` is the common subset of most languages.
   */
  language: SqlLanguage
  /** The letter case of type names. Default: `preserve`. */
  dataTypeCase?: SqlCasing
  /** The letter case of built-in functions. Default: `preserve`. */
  functionCase?: SqlCasing
  /** The letter case of reserved words. Default: `preserve`. */
  keywordCase?: SqlCasing
  /** The letter case of unquoted names; experimental. Default: `preserve`. */
  identifierCase?: SqlCasing
  /**
   * Omits spaces around operators. In PostgreSQL two of them may become another one, as `a < @b`
   * becomes `a<@b`. Default: false.
   */
  denseOperators?: boolean
  /**
   * The number of characters up to which an expression in parentheses stays on one line. Default:
   * 50.
   */
  expressionWidth?: number
  /** The number of empty lines between statements. Default: 1. */
  linesBetweenQueries?: number
  /** The place of the line break at `AND`, `OR` and `XOR`. Default: `before`. */
  logicalOperatorNewline?: 'before' | 'after'
  /** Puts the semicolon on its own line. Default: false. */
  newlineBeforeSemicolon?: boolean
  /** The number of spaces per level. Default: 2. */
  tabWidth?: number
  /** Indents with one tab per level; `tabWidth` has no effect then. Default: false. */
  useTabs?: boolean
  /** The placeholders of the text. Each key replaces the default of the language. */
  paramTypes?: SqlParamTypes
}

export interface SqlParamTypes {
  /** `?` */
  positional?: boolean
  /** `?1`, `:2`, `$3` */
  numbered?: ('?' | ':' | '$')[]
  /** `:name`, `@name`, `$name` */
  named?: (':' | '@' | '$')[]
  /** `:"name"`, in the quotes of the language for names. */
  quoted?: (':' | '@' | '$')[]
  /**
   * Custom placeholders: regular expressions with the flags `u` and `y`. An expression that matches
   * an empty text, or runs for more than a second, is rejected.
   */
  custom?: { regex: string }[]
}

/** A defect of a configuration. */
export interface SqlFormatterProblem {
  /** The path, such as `paramTypes.named[1]`. Empty for the whole. */
  path: string
  /** `schema` for violations of the JSON schema, `use` for defects that appear only in use. */
  kind: 'schema' | 'use'
  /** The defect, such as `must be an integer greater than 0 (got 0)`. */
  message: string
}
