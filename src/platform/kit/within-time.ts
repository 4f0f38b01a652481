/** Waits for work, but no longer than this: then throws what `late` makes. The work itself goes on. */
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
