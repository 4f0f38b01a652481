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
  return copyObject(value, null, 0)
}

/**
 * @param field the field of the body that the value is in, by which a refusal names it.
 * @param depth how many objects and lists are around it.
 */
function copy(value: unknown, field: string, depth: number): unknown {
  if (depth > maxDepth) throw validationFailed(`${field}: is nested too deeply`)
  if (typeof value === 'string') return requireText(value, field)
  if (Array.isArray(value)) return value.map((item) => copy(item, field, depth + 1))
  return isObject(value) ? copyObject(value, field, depth) : value
}

function copyObject(
  object: Record<string, unknown>,
  field: string | null,
  depth: number,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(object)) {
    if (key === '__proto__') continue
    requireText(key, field ?? 'key')
    result[key] = copy(object[key], field ?? key, depth + 1)
  }
  return result
}

function requireText(text: string, field: string): string {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw validationFailed(`${field}: holds characters that cannot be stored`)
  }
  return text
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
