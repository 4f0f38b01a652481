import type { Struct } from 'superstruct'
import { checkInput } from '../http/check-input.ts'
import { plainJson } from '../http/plain-json.ts'

/**
 * Reads the input of a call from code with the care that a request body gets: hosts pass on what
 * their own visitors sent. Values that JSON knows no form of take the one that they would travel in.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field.
 */
export const readInput = <Output, Schema>(input: object, struct: Struct<Output, Schema>): Output =>
  checkInput(plainJson(JSON.parse(JSON.stringify(input))), struct)
