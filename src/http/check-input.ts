import { mask, type Struct, StructError } from 'superstruct'
import { badJson } from '../errors/request-errors.ts'
import type { FieldKinds, Fields, Read } from './inputs.ts'

/**
 * Reads an object by the description of its fields, under the names that code has for them. Others are dropped.
 *
 * @param at the field that the object stands in, where it is a part of another one.
 * @throws AuthError `bad_json` for a value of the wrong JSON type. The message names the field and never quotes
 *   its value, which may be a password.
 */
export const checkInput = <Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at?: string,
): Read<Kinds> => check(value, fields, String, at)

/** The same of an object as it travels, whose fields have the names of the wire. */
export function checkBody<Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at?: string,
): Read<Kinds> {
  const { wireNames } = fields
  const inCode = isObject(value) ? renamed(value, wireNames) : value
  return check(inCode, fields, (name) => wireNames.get(name) ?? name, at)
}

function renamed(
  value: Record<string, unknown>,
  wireNames: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const inCode: Record<string, unknown> = {}
  for (const [name, wireName] of wireNames) {
    if (Object.hasOwn(value, wireName)) inCode[name] = value[wireName]
  }
  return inCode
}

function check<Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  nameOf: (field: string) => string,
  at?: string,
): Read<Kinds> {
  const struct = fields.struct as Struct<unknown, object>
  try {
    return mask(onlyDescribed(value, struct.schema), struct) as Read<Kinds>
  } catch (error) {
    if (!(error instanceof StructError)) throw error
    const path: string[] = error.path.map(nameOf)
    const field = [...(at ? [at] : []), ...path].join('.') || 'body'
    throw badJson(`${field}: has to be ${error.type}`)
  }
}

/** Superstruct counts what each object inherits, such as `toString`, among what a description names. */
function onlyDescribed(value: unknown, schema: object): unknown {
  if (!isObject(value)) return value
  const described: Record<string, unknown> = {}
  for (const name of Object.keys(schema)) {
    if (Object.hasOwn(value, name)) described[name] = value[name]
  }
  return described
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
