/** The languages that can be formatted, by the names that a configuration gives them. Letter case counts. */
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

/** `preserve` leaves words as they are written. */
export type SqlCasing = 'preserve' | 'upper' | 'lower'

/** How SQL is formatted: what `.sql-formatter.json` holds. */
export interface SqlFormatterConfig {
  /** The schema that an editor checks the file by. Nothing else reads it. */
  $schema?: string
  /** Nothing is guessed: the text has to be of this language. `sql` is what most of them share. */
  language: SqlLanguage
  /** Of names of types. Default: `preserve`. */
  dataTypeCase?: SqlCasing
  /** Of functions that the language knows. Default: `preserve`. */
  functionCase?: SqlCasing
  /** Of reserved words. Default: `preserve`. */
  keywordCase?: SqlCasing
  /** Of names without quotes; experimental. Default: `preserve`. */
  identifierCase?: SqlCasing
  /**
   * No spaces around operators. In PostgreSQL two of them may become another one, as `a < @b` becomes `a<@b`.
   * Default: false.
   */
  denseOperators?: boolean
  /** In characters: what is in parentheses stays on one line while it is shorter. Default: 50. */
  expressionWidth?: number
  /** Empty lines between statements. Default: 1. */
  linesBetweenQueries?: number
  /** Where the line breaks at `AND`, `OR` and `XOR`. Default: `before`. */
  logicalOperatorNewline?: 'before' | 'after'
  /** Gives the semicolon a line of its own. Default: false. */
  newlineBeforeSemicolon?: boolean
  /** Spaces for each level. Default: 2. */
  tabWidth?: number
  /** A tab for each level; `tabWidth` has no effect then. Default: false. */
  useTabs?: boolean
  /** Which placeholders there are. Each key that is given takes the place of what the language has. */
  paramTypes?: SqlParamTypes
}

export interface SqlParamTypes {
  /** `?` */
  positional?: boolean
  /** `?1`, `:2`, `$3` */
  numbered?: ('?' | ':' | '$')[]
  /** `:name`, `@name`, `$name` */
  named?: (':' | '@' | '$')[]
  /** `:"name"`, in the quotes that the language has for names. */
  quoted?: (':' | '@' | '$')[]
  /**
   * Placeholders of one's own: regular expressions, read with the flags `u` and `y`. One that matches an empty text,
   * or takes longer than a second, is refused.
   */
  custom?: { regex: string }[]
}

/** One thing that is wrong with a configuration. */
export interface SqlFormatterProblem {
  /** Where it is, as in `paramTypes.named[1]`. Empty for the whole. */
  path: string
  /** `schema` is what the JSON schema refuses as well, `use` what only shows when it is put to use. */
  kind: 'schema' | 'use'
  /** As in `must be an integer greater than 0 (got 0)`. */
  message: string
}
