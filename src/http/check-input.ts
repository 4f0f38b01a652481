import { mask, type Struct, StructError } from 'superstruct'
import { badJson } from '../errors/request-errors.ts'
import { isRecord } from '../kit/is-record.ts'
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
): Read<Kinds> => check(value, fields, (name) => name, at)

/** The same of an object as it travels, whose fields have the names of the wire. */
export const checkBody = <Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at?: string,
): Read<Kinds> => check(value, fields, (name) => fields.wireNames.get(name) ?? name, at)

/** @param givenName what the object calls a field. */
function check<Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  givenName: (name: string) => string,
  at?: string,
): Read<Kinds> {
  const given = isRecord(value) ? pick(value, fields.wireNames.keys(), givenName) : value
  try {
    return mask(given, fields.struct as Struct<unknown, object>) as Read<Kinds>
  } catch (error) {
    if (!(error instanceof StructError)) throw error
    const path: string[] = error.path.map(givenName)
    const field = [...(at ? [at] : []), ...path].join('.') || 'body'
    throw badJson(`${field}: has to be ${error.type}`)
  }
}

/** Superstruct counts what each object inherits, such as `toString`, among what a description names. */
function pick(
  value: Record<string, unknown>,
  names: Iterable<string>,
  givenName: (name: string) => string,
): Record<string, unknown> {
  const own: Record<string, unknown> = {}
  for (const name of names) {
    const given = givenName(name)
    if (Object.hasOwn(value, given)) own[name] = value[given]
  }
  return own
}
