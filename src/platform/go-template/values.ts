/** Whether an `if` follows it: anything but nothing, zero, false and what is empty. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isMap(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

export const isMissing = (value: unknown): value is null | undefined =>
  value === null || value === undefined

/** Names with values, as JSON has them. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value under a name. What every object inherits is none of it. */
export const memberOf = (map: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(map, name) ? map[name] : undefined

/** How deep a printed value is looked into. What JSON made is never a circle; code's may be. */
const maxPrintedDepth = 20

/** A value as text; nothing for what is missing. Lists are `[a b]`, maps `map[x:1 y:2]`. */
export function printed(value: unknown, depth = 0): string {
  if (isMissing(value) || depth > maxPrintedDepth) return ''
  if (Array.isArray(value)) return `[${value.map((item) => printed(item, depth + 1)).join(' ')}]`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (!isMap(value)) return typeof value === 'function' ? '' : String(value)
  const entries = Object.keys(value).toSorted()
  return `map[${entries.map((name) => `${name}:${printed(value[name], depth + 1)}`).join(' ')}]`
}
