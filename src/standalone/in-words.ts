/** An error's message, and that of what caused it in the end: `cannot be reached: connect ECONNREFUSED …`. */
export function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = rootCause(error)
  return cause && cause !== error.message ? `${error.message}: ${cause}` : error.message
}

/** Several attempts (at each address of a host name, say) are described by the first. */
function rootCause(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return rootCause(error.errors[0])
  }
  const { cause } = error
  return cause instanceof Error && cause !== error ? rootCause(cause) : error.message
}
