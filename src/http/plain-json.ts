import { badJson, validationFailed } from '../errors/request-errors.ts'

/** Deeper values are refused: what stores and prints them works recursively. */
const maxDepth = 64

/**
 * A JSON object that can be stored and compared as it is.
 *
 * Refuses what PostgreSQL cannot keep (NUL, and halves of surrogate pairs) and what is nested beyond
 * reason, and leaves out keys that would reach the prototype.
 *
 * @throws AuthError `bad_json` for what is no object, `validation_failed` naming the field.
 */
export function plainJson(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw badJson('body: has to be an object')
  return copyObject(value, [])
}

function copy(value: unknown, path: string[]): unknown {
  if (path.length > maxDepth) throw validationFailed(`${path[0]}: is nested too deeply`)
  if (typeof value === 'string') return requireText(value, path)
  if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, String(index)]))
  return isObject(value) ? copyObject(value, path) : value
}

function copyObject(object: Record<string, unknown>, path: string[]): Record<string, unknown> {
  const entries = Object.entries(object)
    .filter(([key]) => key !== '__proto__')
    .map(([key, value]) => [requireText(key, [...path, 'key']), copy(value, [...path, key])])
  return Object.fromEntries(entries)
}

function requireText(text: string, path: string[]): string {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw validationFailed(`${path[0]}: holds characters that cannot be stored`)
  }
  return text
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
