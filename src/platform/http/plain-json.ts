import { badJson, validationFailed } from '../errors/request-errors.ts'
import { isRecord } from '../kit/is-record.ts'
import { isStorable } from '../kit/storable-text.ts'

/** The maximum depth: storing and printing values is recursive. */
const maxDepth = 64

/**
 * The maximum number of commas, of objects and of lists. Reading 70,000 members blocks the event
 * loop for 0.2 s.
 */
const maxValues = 4_096

/**
 * Parses JSON without further checks, unless it contains more values than any request needs.
 *
 * @throws AuthError `bad_json`, `validation_failed`.
 */
export function parseJson(text: string): unknown {
  if (holdsManyValues(text, maxValues))
    throw validationFailed(`body: holds more than ${maxValues} values`)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message is dropped, since it quotes the body.
    throw badJson(
      isForm.test(text) ? 'it is a form; send it as application/json' : 'it is not JSON',
    )
  }
}

/**
 * The beginning of a form. `curl -d` declares JSON as a form, which the body parser of a host then
 * reads.
 */
const isForm = /^[\w%+.*-]+=/

/**
 * Parses a body as a JSON object that can be stored. `null` counts as an empty object.
 *
 * @throws AuthError as `parseJson` and {@link plainJson} do.
 */
export function jsonIn(text: string): Record<string, unknown> {
  if (text === '') throw badJson('unexpected end of JSON input')
  return plainJson(parseJson(text) ?? {})
}

/**
 * Checks a parsed value, and returns it as an object that can be stored and compared.
 *
 * Rejects characters that PostgreSQL cannot store (NUL, unpaired surrogates) and excessive depth.
 * Keys that would set a prototype are removed from the value itself: a copy would take as long as
 * parsing.
 *
 * @param keys `all` keeps such keys, for a caller that rejects unknown ones and copies no value.
 * @throws AuthError `bad_json` for a value that is not an object, `validation_failed` naming the
 *   field.
 */
export function plainJson(value: unknown, keys: Keys = 'plain'): Record<string, unknown> {
  if (!isRecord(value)) throw badJson('body: has to be an object')
  checkObject(value, keys, { field: null, depth: 0 })
  return value
}

type Keys = 'plain' | 'all'

interface Place {
  /** The field of the body that contains the value, for error messages; null for the body. */
  field: string | null
  /** The number of objects and lists around it. */
  depth: number
}

function check(value: unknown, keys: Keys, place: Place & { field: string }): void {
  const { field, depth } = place
  if (typeof value === 'string') requireText(value, field)
  if (typeof value !== 'object' || value === null) return
  if (depth > maxDepth) throw validationFailed(`${field}: is nested too deeply`)
  if (isRecord(value)) checkObject(value, keys, place)
  else for (const item of value as unknown[]) check(item, keys, { field, depth: depth + 1 })
}

function checkObject(object: Record<string, unknown>, keys: Keys, { field, depth }: Place): void {
  // JSON creates an own property `__proto__`. A copy of the object would set it as the prototype.
  if (keys === 'plain' && Object.hasOwn(object, '__proto__'))
    Reflect.deleteProperty(object, '__proto__')
  for (const key of Object.keys(object)) {
    requireText(key, field ?? 'key')
    check(object[key], keys, { field: field ?? key, depth: depth + 1 })
  }
}

function requireText(text: string, field: string): void {
  if (!isStorable(text)) throw validationFailed(`${field}: holds characters that cannot be stored`)
}

/**
 * Reports whether JSON may contain more than `count` values, before it is parsed: more commas,
 * objects or lists. Marks inside strings are counted as well: distinguishing them would take as
 * long as parsing.
 *
 * Each value takes many times the memory of its text, so a limit of bytes does not limit memory.
 */
export const holdsManyValues = (text: string, count: number): boolean =>
  text.length > count && [',', '[', '{'].some((mark) => holdsMoreThan(count, mark, text))

/** Reports whether a text has more marks than `count`. */
export const holdsMoreThan = (count: number, mark: string, text: string): boolean =>
  text.split(mark, count + 2).length > count + 1
