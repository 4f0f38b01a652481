/** Freezes plain objects and arrays recursively. */
export function deepFreeze<Value>(value: Value): Value {
  if (!isPlain(value)) return value
  for (const child of Object.values(value)) deepFreeze(child)
  return Object.freeze(value)
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
