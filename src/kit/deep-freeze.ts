/**
 * Freezes plain objects and arrays, and what they hold.
 *
 * @param spared objects that belong to somebody else and stay as they are.
 */
export function deepFreeze<Value>(value: Value, spared: readonly unknown[] = []): Value {
  if (!isPlain(value) || spared.includes(value)) return value
  for (const child of Object.values(value)) deepFreeze(child, spared)
  return Object.freeze(value)
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
}
