/** Closes the parts that a process has opened so far. */
export interface Closers {
  /** Adds the function that closes a part. */
  add(close: () => unknown): void
  /**
   * Closes the parts, the latest first. A part that cannot be closed keeps no other open. A further
   * call waits for the same end.
   *
   * @throws the error of the part, or an `AggregateError` where there are several.
   */
  close(): Promise<void>
}

export function createClosers(): Closers {
  const open: (() => unknown)[] = []
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    const errors: unknown[] = []
    for (let close = open.pop(); close; close = open.pop())
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    if (errors.length > 1) throw new AggregateError(errors, 'several parts could not be closed')
    if (errors.length === 1) throw errors[0]
  }
  return {
    add: (close) => {
      open.push(close)
    },
    close: () => {
      closing ??= closeAll()
      return closing
    },
  }
}
