import { badJson } from '../errors/request-errors.ts'
import { isRecord } from '../kit/is-record.ts'
import type { FieldKinds, Fields, Read } from './inputs.ts'

/**
 * Reads an object by the description of its fields, under their names in code. Other members are
 * dropped.
 *
 * @param at the field that contains the object.
 * @throws AuthError `bad_json` for a value of the wrong JSON type. The message names the field and
 *   never quotes its value, which may be a password.
 */
export const checkInput = <Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at?: string,
): Read<Kinds> => read(value, fields, (name) => name, at)

/** Reads an object of a request, whose fields have their wire names. */
export const checkBody = <Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at?: string,
): Read<Kinds> => read(value, fields, (name) => fields.wireNames.get(name) ?? name, at)

/** @param givenName returns the object's name of a field. */
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
    // Inherited members, such as `toString`, count as absent.
    const held = Object.hasOwn(value, given) ? value[given] : null
    if (held === null || held === undefined) continue
    if (!accepts(held)) throw badJson(`${at ? `${at}.` : ''}${given}: has to be ${type}`)
    found[name] = held
  }
  return found as Read<Kinds>
}
