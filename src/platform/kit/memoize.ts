/**
 * Returns a function that computes its result once for each object or function, and keeps it as
 * long as that exists.
 */
export function memoize<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const all = new WeakMap<Key, Made>()
  return (key) => {
    const known = all.get(key)
    if (known !== undefined) return known
    const made = make(key)
    all.set(key, made)
    return made
  }
}
