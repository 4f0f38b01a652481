import type { SqlFormatterProblem } from './formatter-config.ts'

/** A configuration that cannot be used. All that is wrong with it is in `problems`, and in the message, one line each. */
export class SqlFormatterConfigError extends Error {
  override readonly name = 'SqlFormatterConfigError'
  readonly problems: readonly SqlFormatterProblem[]

  /** @param file what each line begins with, where the configuration is a file's. */
  constructor(problems: readonly SqlFormatterProblem[], file?: string) {
    const lines = problems.map(({ path, message }) =>
      [file, path, message].filter((part) => part).join(': '),
    )
    super(lines.join('\n'))
    this.problems = problems
  }
}

/** A text that cannot be formatted, as a rule because it is not of the language that the configuration names. */
export class SqlFormatError extends Error {
  override readonly name = 'SqlFormatError'
}

/** The optional package `sql-formatter` is not installed, or not of a version that is known. */
export class SqlFormatterMissingError extends Error {
  override readonly name = 'SqlFormatterMissingError'

  constructor(options?: ErrorOptions) {
    super(
      'SQL is formatted by the package sql-formatter, version 15.9 or a later 15: npm install --save-dev sql-formatter@15',
      options,
    )
  }
}
