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

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ path, message }) => `  ${path} ${message}`)
    super(['The configuration cannot be used:', ...lines].join('\n'))
    this.problems = problems
  }
}
