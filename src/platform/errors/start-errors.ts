/**
 * The data folder of the embedded database is in use, by another process or by another part of this
 * one. Thrown by `auth.ready()` and by calls that start the service; requests then get a 503.
 */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
  readonly status = 503
}

/**
 * The optional package of the embedded database is not installed. Thrown like
 * {@link FolderInUseError}.
 */
export class EmbeddedPostgresMissingError extends Error {
  override readonly name = 'EmbeddedPostgresMissingError'
  readonly status = 503
}

/**
 * The optional packages that estimate the strength of passwords are not installed. Thrown like
 * {@link FolderInUseError}.
 */
export class PasswordScoreMissingError extends Error {
  override readonly name = 'PasswordScoreMissingError'
  readonly status = 503
}

/**
 * The optional package that counts requests in Redis is not installed. Thrown like
 * {@link FolderInUseError}.
 */
export class RedisPackageMissingError extends Error {
  override readonly name = 'RedisPackageMissingError'
  readonly status = 503
}

/**
 * The native part of `@node-rs/argon2` or `@node-rs/bcrypt` is not installed. The message contains
 * the command that installs it. Thrown like {@link FolderInUseError}.
 */
export class HashingPackageMissingError extends Error {
  override readonly name = 'HashingPackageMissingError'
  readonly status = 503
}

/**
 * The schema contains tables or functions that are not Latchkey's. Thrown like
 * {@link FolderInUseError}.
 */
export class ForeignSchemaError extends Error {
  override readonly name = 'ForeignSchemaError'
  readonly status = 503
}

/**
 * Latchkey's tables do not exist, for example because they were dropped while the service ran.
 * `latchkey migrate` creates them, and so does the start of a service. `cause` is the error of
 * PostgreSQL. Requests get a 500.
 */
export class MissingTablesError extends Error {
  override readonly name = 'MissingTablesError'

  constructor(options?: ErrorOptions) {
    super(
      "Latchkey's tables do not exist: create them with `latchkey migrate`, or with `await auth.ready()` of a new start",
      options,
    )
  }
}

/**
 * Traces or metrics are enabled but unavailable: a package is not installed, or the port of the
 * metrics is in use. Thrown like {@link FolderInUseError}.
 */
export class TelemetryStartError extends Error {
  override readonly name = 'TelemetryStartError'
  readonly status = 503
}

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
