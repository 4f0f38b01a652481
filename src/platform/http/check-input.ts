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
  at = '',
): Read<Kinds> => {
  const place: Place = { at, whole: 'input', reject: badArgument }
  return fields.readAccepted(value, 'inCode') ?? refuse(value, fields.inCode, place)
}

/** Reads an object of a request, whose fields have their wire names. */
export const checkBody = <Kinds extends FieldKinds>(
  value: unknown,
  fields: Fields<Kinds>,
  at = '',
): Read<Kinds> => {
  const place: Place = { at, whole: 'body', reject: badJson }
  return fields.readAccepted(value, 'onWire') ?? refuse(value, fields.onWire, place)
}

interface Place {
  /** The field that contains the object; empty if none does. */
  at: string
  /** The name of the object as a whole. */
  whole: string
  reject: (detail: string) => AuthError
}

/** The error of superstruct contains the value, so it is neither thrown nor kept as a cause. */
function refuse(value: unknown, struct: InputStruct, { at, whole, reject }: Place): never {
  const [error] = struct.validate(value, { coerce: true })
  // The message of the error itself repeats the path.
  const [failure] = error?.failures() ?? []
  const field = [...(at === '' ? [] : [at]), ...(error?.path ?? [])].join('.')
  throw reject(`${field || whole}: ${failure?.message}`)
}
