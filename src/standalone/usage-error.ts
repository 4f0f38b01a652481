/** The command line asks for something that there is not. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
