/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * A failure that is no fault of the command line. The command prints the message and exits with 1.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
