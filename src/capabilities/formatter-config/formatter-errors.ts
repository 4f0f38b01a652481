import type { SqlFormatterProblem } from './formatter-config.ts'

/** An invalid configuration. `problems` contains all defects, the message one line for each. */
export class SqlFormatterConfigError extends Error {
  override readonly name = 'SqlFormatterConfigError'
  readonly problems: readonly SqlFormatterProblem[]

  /** @param file the prefix of each line, if the configuration is from a file. */
  constructor(problems: readonly SqlFormatterProblem[], file?: string) {
    const lines = problems.map(({ path, message }) =>
      [file, path, message].filter((part) => part).join(': '),
    )
    super(lines.join('\n'))
    this.problems = problems
  }
}

/**
 * A text that cannot be parsed, mostly because it is in another language than the configured one.
 */
export class SqlFormatError extends Error {
  override readonly name = 'SqlFormatError'
}

/** The optional package `sql-formatter` is missing, or has an unsupported version. */
export class SqlFormatterMissingError extends Error {
  override readonly name = 'SqlFormatterMissingError'

  constructor(options?: ErrorOptions) {
    super(
      'formatting needs the package sql-formatter, version 15.9 or later, below 16: npm install --save-dev sql-formatter@15',
      options,
    )
  }
}
