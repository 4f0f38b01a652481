/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** The setting: `jwt.secret` in code, `AUTH_JWT_SECRET` in the environment. */
  path: string
  /** What it should be, as in `must be a whole number`. Never a secret's value. */
  message: string
}

/**
 * A configuration that cannot work. All that is wrong with it is in `problems`, and in the message,
 * one line each.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  /** @param remedy said below the problems. */
  constructor(problems: readonly ConfigProblem[], remedy?: string) {
    const lines = problems.map(({ path, message }) => `  ${path} ${message}`)
    const end = remedy === undefined ? [] : [remedy]
    super(['The configuration cannot be used:', ...lines, ...end].join('\n'))
    this.problems = problems
  }
}
