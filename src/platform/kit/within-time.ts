/** Waits for work up to this time, then throws the error of `late`. The work itself continues. */
export async function withinTime<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), timeoutMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
