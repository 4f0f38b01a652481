import { mask, type Struct, StructError } from 'superstruct'
import { badJson, validationFailed } from '../errors/request-errors.ts'

/**
 * Reads an object by its description. Unknown properties are dropped.
 *
 * @throws AuthError `bad_json` for a value of the wrong JSON type, else `validation_failed`. The
 *   message names the field and never quotes its value, which may be a password.
 * @param at the field that the object stands in, where it is a part of another one.
 */
export function checkInput<Output, Schema>(
  value: unknown,
  struct: Struct<Output, Schema>,
  at?: string,
): Output {
  try {
    return mask(onlyDescribed(value, struct.schema), struct)
  } catch (error) {
    if (!(error instanceof StructError)) throw error
    const field = [...(at ? [at] : []), ...error.path].join('.') || 'body'
    if (error.refinement) throw validationFailed(`${field}: has to be ${error.refinement}`)
    throw badJson(`${field}: has to be ${error.type}`)
  }
}

/** Superstruct counts what each object inherits, such as `toString`, among what a description names. */
function onlyDescribed(value: unknown, schema: unknown): unknown {
  if (!isObject(value) || !isObject(schema)) return value
  const described: Record<string, unknown> = {}
  for (const name of Object.keys(schema)) {
    if (Object.hasOwn(value, name)) described[name] = value[name]
  }
  return described
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
