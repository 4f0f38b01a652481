import { badJson, validationFailed } from '../errors/request-errors.ts'
import { holdsManyValues } from '../kit/count-values.ts'
import { isRecord } from '../kit/is-record.ts'
import { isStorable } from '../kit/storable-text.ts'

/** Deeper values are refused: what stores and prints them works recursively. */
const maxDepth = 64

/** Of commas, and of objects and lists. To read 70,000 members keeps everybody else waiting for 0.2 s. */
const maxValues = 4_096

/**
 * Reads JSON, of which nothing else is checked, unless it holds more values than any request needs.
 *
 * @throws AuthError `bad_json`, `validation_failed`.
 */
export function parseJson(text: string): unknown {
  if (holdsManyValues(text, maxValues))
    throw validationFailed(`body: holds more than ${maxValues} values`)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body.
    throw badJson('it is not JSON')
  }
}

/**
 * Reads the text of a body as a JSON object that can be stored as it is. `null` counts as an empty object.
 *
 * @throws AuthError as `parseJson` and {@link plainJson} do.
 */
export function jsonIn(text: string): Record<string, unknown> {
  if (text === '') throw badJson('unexpected end of JSON input')
  return plainJson(parseJson(text) ?? {})
}

/**
 * What `parseJson` made, as an object that can be stored and compared as it is.
 *
 * Refuses what PostgreSQL cannot keep (NUL, and halves of surrogate pairs) and what is nested beyond
 * reason. Keys that would reach the prototype are removed from the value itself: a copy would take as
 * long as reading it.
 *
 * @throws AuthError `bad_json` for what is no object, `validation_failed` naming the field.
 */
export function plainJson(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw badJson('body: has to be an object')
  checkObject(value, null, 0)
  return value
}

/**
 * @param field the field of the body that the value is in, by which a refusal names it.
 * @param depth how many objects and lists are around it.
 */
function check(value: unknown, field: string, depth: number): void {
  if (typeof value === 'string') requireText(value, field)
  if (typeof value !== 'object' || value === null) return
  if (depth > maxDepth) throw validationFailed(`${field}: is nested too deeply`)
  if (isRecord(value)) checkObject(value, field, depth)
  else for (const item of value as unknown[]) check(item, field, depth + 1)
}

function checkObject(object: Record<string, unknown>, field: string | null, depth: number): void {
  // JSON makes an own property of it, which whatever copies the object would set as its prototype.
  if (Object.hasOwn(object, '__proto__')) Reflect.deleteProperty(object, '__proto__')
  for (const key of Object.keys(object)) {
    requireText(key, field ?? 'key')
    check(object[key], field ?? key, depth + 1)
  }
}

function requireText(text: string, field: string): void {
  if (!isStorable(text)) throw validationFailed(`${field}: holds characters that cannot be stored`)
}
