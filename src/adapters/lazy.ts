/** Something, or a function that makes it with the first request: a bundler may load a module while it builds, without settings. */
export type Lazy<T> = T | (() => T)

/** Both as a function, which is asked with each request and keeps what it was answered. */
export function lazily<Given extends object, Made>(
  given: Lazy<Given>,
  make: (given: Given) => Made,
): () => Made {
  let made: { from: Given; value: Made } | undefined
  return () => {
    const from = typeof given === 'function' ? (given as () => Given)() : given
    if (made?.from !== from) made = { from, value: make(from) }
    return made.value
  }
}
