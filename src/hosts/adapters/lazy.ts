/** Something, or a function that makes it with the first request: a bundler may load a module while it builds, without settings. */
export type Lazy<T> = T | (() => T)

export const unwrap = <T extends object>(given: Lazy<T>): T =>
  typeof given === 'function' ? (given as () => T)() : given

/** What is made of it, kept for as long as the function returns the same. */
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
