import { nearestName } from '../../platform/config/nearest-name.ts'
import {
  badArgument,
  bodyTooLarge,
  validationFailed,
} from '../../platform/errors/request-errors.ts'
import { maxBodyBytes } from '../../platform/http/body-limit.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import type { FieldKinds, Fields, Read } from '../../platform/http/inputs.ts'
import { parseJson, plainJson } from '../../platform/http/plain-json.ts'
import { isRecord } from '../../platform/kit/is-record.ts'

/**
 * Reads the input of a call from code as a request body is read: hosts pass on the input of their
 * own clients. Values without a form in JSON take that of `JSON.stringify`.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field or a misspelled one,
 *   `request_entity_too_large` (413).
 * @throws TypeError for a transaction, which belongs to the options.
 */
export const readInput = <Kinds extends FieldKinds>(
  input: object,
  described: Fields<Kinds>,
): Read<Kinds> => {
  const opened = openInput(input)
  rejectMisspelled(opened, Object.keys(described.kinds))
  return checkInput(opened, described)
}

/**
 * Rejects a member whose name is similar to that of a field that is absent, `pasword`, or that
 * `@supabase/auth-js` uses for it, `emailRedirectTo`. Rejects `options`, whose members are fields
 * here. All other unknown members are dropped, since hosts pass on the forms of their pages.
 *
 * @throws AuthError `validation_failed`, naming the member and the field.
 */
export function rejectMisspelled(input: Record<string, unknown>, names: readonly string[]): void {
  const absent = names.filter((name) => input[name] === undefined || input[name] === null)
  const unknown = Object.keys(input).filter(
    (name) => !names.includes(name) && (name !== 'options' || input[name] !== null),
  )
  const problem = describeOtherName(unknown, absent) ?? describeMisspelled(unknown, absent)
  if (problem !== null) throw validationFailed(problem)
}

/** Names of fields in `@supabase/auth-js` and in other calls, which would be dropped. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  data: ['userMetadata', 'user_metadata', 'metadata'],
  userMetadata: ['metadata', 'data'],
  redirectTo: ['emailRedirectTo'],
  createUser: ['shouldCreateUser'],
}

function describeOtherName(unknown: readonly string[], absent: readonly string[]): string | null {
  if (unknown.includes('options')) {
    return 'options: is not a field; move its members to the input itself'
  }
  for (const field of absent) {
    const given = otherNames[field]?.find((name) => unknown.includes(name))
    if (given !== undefined) return `${given}: is not a field; did you mean ${field}?`
  }
  return null
}

/**
 * Describes the first unknown name that is similar to an absent one; null if none is similar.
 *
 * @returns `pasword: is not a field; did you mean password?`
 */
export function describeMisspelled(
  unknown: readonly string[],
  absent: readonly string[],
): string | null {
  for (const name of unknown) {
    // Short names are similar to too many others.
    const nearest = name.length < minMisspelledLength ? null : nearestName(name, absent)
    if (nearest) return `${name}: is not a field; did you mean ${nearest}?`
  }
  return null
}

/**
 * Rejects a member that is no field, as `perPage` of a list with a `limit`. Without it, the call
 * would return other rows. Hosts do not pass forms to lists.
 *
 * @throws AuthError `validation_failed`, naming the member and the fields.
 */
export function rejectUnknown(input: Record<string, unknown>, names: readonly string[]): void {
  const unknown = Object.keys(input).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw validationFailed(`${unknown}: is not a field; the fields are ${names.join(', ')}`)
}

const minMisspelledLength = 5

/** Opens an input without reading its fields. */
export function openInput(input: object): Record<string, unknown> {
  rejectTransaction(input)
  return plainInput(input)
}

/** Returns an input as JSON represents it. */
export function plainInput(input: object): Record<string, unknown> {
  const value = parseJson(toWireName(input))
  if (!isRecord(value)) throw badArgument('input: has to be an object')
  return plainJson(value)
}

/**
 * Rejects a transaction in the input: the call would run outside it, and would not be rolled back
 * with it.
 */
function rejectTransaction(input: object): void {
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
    throw badArgument('input: has no form in JSON')
  }
}
