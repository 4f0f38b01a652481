/**
 * Reports whether `if` treats a value as true: all values except missing ones, zero, false and
 * empty ones.
 */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isMap(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

export const isMissing = (value: unknown): value is null | undefined =>
  value === null || value === undefined

/** Reports whether a value is an object with named values, as in JSON. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value of an own property; inherited ones are ignored. */
export const memberOf = (map: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined

/** The maximum depth of printed values. JSON has no cycles, but values of code may have. */
const maxPrintedDepth = 20

/** Returns a value as text; empty if it is missing. Lists are `[a b]`, maps `map[x:1 y:2]`. */
export function printed(value: unknown, depth = 0): string {
  if (isMissing(value) || depth > maxPrintedDepth) return ''
  if (Array.isArray(value)) return `[${value.map((item) => printed(item, depth + 1)).join(' ')}]`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (!isMap(value)) return typeof value === 'function' ? '' : String(value)
  const entries = Object.keys(value).toSorted()
  return `map[${entries.map((name) => `${name}:${printed(value[name], depth + 1)}`).join(' ')}]`
}
