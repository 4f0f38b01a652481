import { badJson, bodyTooLarge } from '../../platform/errors/request-errors.ts'
import { maxBodyBytes } from '../../platform/http/body-limit.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import type { FieldKinds, Fields, Read } from '../../platform/http/inputs.ts'
import { parseJson, plainJson } from '../../platform/http/plain-json.ts'

/**
 * Reads the input of a call from code as a request body is read: hosts pass on the input of their
 * own clients. Values without a form in JSON take that of `JSON.stringify`.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field, `request_entity_too_large`
 *   (413).
 * @throws TypeError for a transaction, which belongs to the options.
 */
export const readInput = <Kinds extends FieldKinds>(
  input: object,
  described: Fields<Kinds>,
): Read<Kinds> => checkInput(openInput(input), described)

/** Opens an input without reading its fields. */
export function openInput(input: object): Record<string, unknown> {
  refuseTransaction(input)
  return plainInput(input)
}

/** Returns an input as JSON represents it. */
export const plainInput = (input: object): Record<string, unknown> =>
  plainJson(parseJson(toWireName(input)))

/**
 * Rejects a transaction in the input: the call would run outside it, and would not be rolled back
 * with it.
 */
function refuseTransaction(input: object): void {
  const misplaced = ['em', 'tx'].find((name) => Object(input)[name] !== undefined)
  if (misplaced)
    throw new TypeError(`${misplaced} belongs to the options, which are the last argument`)
}

/** The size of a body, doubled for the additional data of an imported user. */
const maxInputBytes = 2 * maxBodyBytes

function toWireName(input: object): string {
  const text = inJson(input)
  if (Buffer.byteLength(text) > maxInputBytes) throw bodyTooLarge(maxInputBytes)
  return text
}

function inJson(input: object): string {
  try {
    // Values that JSON leaves out, such as functions, are read as null.
    return JSON.stringify(input) ?? 'null'
  } catch {
    throw badJson('the input has no form in JSON')
  }
}
