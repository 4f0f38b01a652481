/**
 * Returns an error's message with that of its root cause: `cannot be reached: connect ECONNREFUSED
 * …`.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = rootCause(error)
  return cause && cause !== error.message ? `${error.message}: ${cause}` : error.message
}

/**
 * Returns the message of the root cause. Of several attempts, for example at each address of a host
 * name, the first is used.
 */
function rootCause(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return rootCause(error.errors[0])
  }
  const { cause } = error
  return cause instanceof Error && cause !== error ? rootCause(cause) : error.message
}
