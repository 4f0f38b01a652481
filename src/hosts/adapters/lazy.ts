/**
 * A value, or a function that creates it with the first request: a bundler may load a module during
 * the build, without settings.
 */
export type Lazy<T> = T | (() => T)

export const unwrap = <T extends object>(given: Lazy<T>): T =>
  typeof given === 'function' ? (given as () => T)() : given

/**
 * Returns a function that computes a result of the value once, as long as the value stays the same.
 */
export function lazily<Given extends object, Made>(
  given: Lazy<Given>,
  make: (given: Given) => Made,
): () => Made {
  let made: { from: Given; value: Made } | undefined
  return () => {
    const from = unwrap(given)
    if (made?.from !== from) made = { from, value: make(from) }
    return made.value
  }
}
