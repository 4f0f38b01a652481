/** One problem of a configuration. */
export interface ConfigProblem {
  /** The setting: `jwt.secret` in code, `AUTH_JWT_SECRET` in the environment. */
  path: string
  /** The violated rule, such as `must be a whole number`. Never contains a secret. */
  message: string
}

/**
 * An invalid configuration. All its problems are in `problems`, and in the message, one line each.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  /** @param remedy added below the problems. */
  constructor(problems: readonly ConfigProblem[], remedy?: string) {
    const lines = problems.map(({ path, message }) => `  ${path} ${message}`)
    const end = remedy === undefined ? [] : [remedy]
    super(['The configuration cannot be used:', ...lines, ...end].join('\n'))
    this.problems = problems
  }
}
