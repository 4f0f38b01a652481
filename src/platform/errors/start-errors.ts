/**
 * The data folder of the embedded database is in use, by another process or by another part of this one.
 * Thrown by `auth.ready()` and by calls that start the service; requests are answered 503 then.
 */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError'
  readonly status = 503
}

/** The optional package that holds the embedded database is not installed. Thrown as {@link FolderInUseError} is. */
export class EmbeddedPostgresMissingError extends Error {
  override readonly name = 'EmbeddedPostgresMissingError'
  readonly status = 503
}

/** The optional packages that estimate the strength of passwords are not installed. Thrown as {@link FolderInUseError} is. */
export class PasswordScoreMissingError extends Error {
  override readonly name = 'PasswordScoreMissingError'
  readonly status = 503
}

/** The schema to be used holds tables or functions that are not Latchkey's. Thrown as {@link FolderInUseError} is. */
export class ForeignSchemaError extends Error {
  override readonly name = 'ForeignSchemaError'
  readonly status = 503
}

/**
 * Latchkey's tables are not in the database, as after they were dropped beside a running service. `latchkey migrate` makes
 * them, and so does the start of a service. What PostgreSQL said is its `cause`. Requests are answered 500.
 */
export class MissingTablesError extends Error {
  override readonly name = 'MissingTablesError'

  constructor(options?: ErrorOptions) {
    super(
      "Latchkey's tables are not in the database: `latchkey migrate` makes them, and so does `await auth.ready()` of a new start",
      options,
    )
  }
}

/**
 * Traces or metrics are switched on and cannot be had: a package is not installed, or the port of the metrics is taken.
 * Thrown as {@link FolderInUseError} is.
 */
export class TelemetryStartError extends Error {
  override readonly name = 'TelemetryStartError'
  readonly status = 503
}
