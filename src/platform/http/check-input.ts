import type { AuthError } from '../errors/auth-error.ts'
import { badArgument, badJson } from '../errors/request-errors.ts'
import type { InputStruct } from './input-struct.ts'
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
): Read<Kinds> => read(value, fields.inCode, { at: at ?? '', whole: 'input', reject: badArgument })

/** Reads an object of a request, whose fields have their wire names. */
export function checkBody<Kinds extends FieldKinds>(
  value: unknown,
  { onWire, wireNames }: Fields<Kinds>,
  at?: string,
): Read<Kinds> {
  const held = read(value, onWire, { at: at ?? '', whole: 'body', reject: badJson })
  const found: Record<string, unknown> = {}
  for (const [name, wireName] of wireNames) {
    if (wireName in held) found[name] = held[wireName]
  }
  return found as Read<Kinds>
}

interface Place {
  /** The field that contains the object; empty if none does. */
  at: string
  /** The name of the object as a whole. */
  whole: string
  reject: (detail: string) => AuthError
}

/** The error of superstruct contains the value, so it is neither thrown nor kept as a cause. */
function read<T>(
  value: unknown,
  struct: InputStruct<T, FieldKinds>,
  { at, whole, reject }: Place,
): T {
  const [error, found] = struct.validate(value, { coerce: true })
  if (!error) return found
  // The message of the error itself repeats the path.
  const [failure] = error.failures()
  const field = [...(at === '' ? [] : [at]), ...error.path].join('.')
  throw reject(`${field || whole}: ${failure?.message}`)
}
