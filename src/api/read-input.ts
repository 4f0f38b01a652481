import type { Struct } from 'superstruct'
import { badJson, bodyTooLarge } from '../errors/request-errors.ts'
import { maxBodyBytes } from '../http/body-limit.ts'
import { checkInput } from '../http/check-input.ts'
import { parseJson, plainJson } from '../http/plain-json.ts'

/**
 * Reads the input of a call from code with the care that a request body gets: hosts pass on what
 * their own visitors sent. Values that JSON knows no form of take the one that they would travel in.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field, `request_entity_too_large` (413).
 */
export const readInput = <Output, Schema>(input: object, struct: Struct<Output, Schema>): Output =>
  checkInput(plainJson(parseJson(asItTravels(input))), struct)

/** What travels in a body, and as much again for what else a host knows of a user whom it imports. */
const maxInputBytes = 2 * maxBodyBytes

/** What describes an input: every field of it is read. */
export type Fields<Input> = Record<keyof Input, unknown>

/** The flows' form of a wish where to be sent, from code: no page asked. */
export const asRedirect = <Input extends { redirectTo?: string | undefined }>({
  redirectTo,
  ...input
}: Input) => ({ ...input, redirect: { target: redirectTo } })

function asItTravels(input: object): string {
  const text = inJson(input)
  if (Buffer.byteLength(text) > maxInputBytes) throw bodyTooLarge(maxInputBytes)
  return text
}

function inJson(input: object): string {
  try {
    // What JSON leaves out altogether, such as a function, counts as null.
    return JSON.stringify(input) ?? 'null'
  } catch {
    throw badJson('the input has no form in JSON')
  }
}
