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
): Read<Kinds> => read(value, fields, (name) => name, at)

/** The same of an object as it travels, whose fields have the names of the wire. */
export const checkBody = <Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at?: string,
): Read<Kinds> => read(value, fields, (name) => fields.wireNames.get(name) ?? name, at)

/** @param givenName what the object calls a field. */
function read<Kinds extends FieldKinds>(
  value: unknown,
  { kinds }: Fields<Kinds>,
  givenName: (name: string) => string,
  at?: string,
): Read<Kinds> {
  if (!isRecord(value)) throw badJson(`${at ?? 'body'}: has to be object`)
  const found: Record<string, unknown> = {}
  for (const [name, { type, accepts }] of Object.entries(kinds)) {
    const given = givenName(name)
    // What every object inherits, such as `toString`, was not given.
    const held = Object.hasOwn(value, given) ? value[given] : null
    if (held === null || held === undefined) continue
    if (!accepts(held)) throw badJson(`${at ? `${at}.` : ''}${given}: has to be ${type}`)
    found[name] = held
  }
  return found as Read<Kinds>
}
