import { nearestName } from '../../platform/config/nearest-name.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { configSchema, type FormatterSchema } from './config-schema.ts'
import type { SqlFormatterProblem } from './formatter-config.ts'

/** Returns all violations of the schema, each with its path. */
export const schemaProblems = (value: unknown): SqlFormatterProblem[] =>
  problemsAt('', configSchema, value)

function problemsAt(path: string, schema: FormatterSchema, value: unknown): SqlFormatterProblem[] {
  const wanted = unmetBy(value, schema)
  if (wanted !== null) return [problem(path, `must be ${wanted} (got ${inShort(value)})`)]
  const { items } = schema
  if (Array.isArray(value) && items) {
    return value.flatMap((item, at) => problemsAt(`${path}[${at}]`, items, item))
  }
  return isRecord(value) ? problemsOfProperties(path, schema, value) : []
}

function problemsOfProperties(
  path: string,
  { properties = {}, required = [], additionalProperties }: FormatterSchema,
  value: Record<string, unknown>,
): SqlFormatterProblem[] {
  const missing = required.filter((name) => value[name] === undefined)
  const ofGiven = Object.entries(value).flatMap(([name, given]) => {
    const at = pathTo(path, name)
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (schema) return given === undefined ? [] : problemsAt(at, schema, given)
    if (additionalProperties !== false) return []
    const nearest = nearestName(name, Object.keys(properties))
    const remedy = nearest ? `; did you mean ${nearest}?` : ''
    return [problem(at, `unknown property${remedy}`)]
  })
  return [...missing.map((name) => problem(pathTo(path, name), 'is required')), ...ofGiven]
}

/**
 * Returns the unmet requirement of a value; null if it is valid. Members of the value are not
 * checked.
 */
function unmetBy(value: unknown, { type, enum: words, exclusiveMinimum }: FormatterSchema) {
  if (words) {
    if (words.some((word) => word === value)) return null
    return `one of ${words.map((word) => `"${word}"`).join(', ')}`
  }
  const isMet = types[type].test(value) && isAbove(exclusiveMinimum, value)
  if (isMet) return null
  const bound = exclusiveMinimum === undefined ? '' : ` greater than ${exclusiveMinimum}`
  return `${types[type].name}${bound}`
}

const isAbove = (minimum: number | undefined, value: unknown): boolean =>
  minimum === undefined || Number(value) > minimum

/** `1e999` parses as infinity, which is an integer here. `excessiveNumbers` rejects it. */
const types: Record<FormatterSchema['type'], { name: string; test: (value: unknown) => boolean }> =
  {
    object: { name: 'an object', test: isRecord },
    array: { name: 'a list', test: Array.isArray },
    string: { name: 'a string', test: (value) => typeof value === 'string' },
    boolean: { name: 'true or false', test: (value) => typeof value === 'boolean' },
    number: { name: 'a number', test: (value) => typeof value === 'number' },
    integer: {
      name: 'an integer',
      test: (value) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY,
    },
  }

const problem = (path: string, message: string): SqlFormatterProblem => ({
  path,
  kind: 'schema',
  message,
})

/**
 * Appends a name to a path. Names with spaces or signs are quoted, so that a path stays on one line
 * and its dots are unambiguous.
 */
function pathTo(path: string, name: string): string {
  if (!/^[\w$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

const shownLength = 40

function inShort(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isRecord(value)) return 'an object'
  if (typeof value !== 'string') return String(value)
  const isLong = value.length > shownLength
  return JSON.stringify(isLong ? `${value.slice(0, shownLength)}…` : value)
}
