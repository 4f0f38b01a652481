import { badJson, bodyTooLarge } from '../errors/request-errors.ts'
import { maxBodyBytes } from '../http/body-limit.ts'
import { checkInput } from '../http/check-input.ts'
import type { Endpoint, Unread } from '../http/endpoint.ts'
import { type FieldKinds, type Fields, fields, type Read, Text } from '../http/inputs.ts'
import { parseJson, plainJson } from '../http/plain-json.ts'
import { isRecord } from '../kit/is-record.ts'

/**
 * Reads the input of a call from code with the care that a request body gets: hosts pass on what
 * their own visitors sent. Values that JSON knows no form of take the one that they would travel in.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field, `request_entity_too_large` (413).
 * @throws TypeError for a transaction, which belongs to the options.
 */
export function readInput<Kinds extends FieldKinds>(
  input: object,
  described: Fields<Kinds>,
): Read<Kinds> {
  refuseTransaction(input)
  return checkInput(plainInput(input), described)
}

/**
 * Texts by name, as a part of an input that no endpoint describes.
 *
 * @throws AuthError `bad_json`, naming the field.
 */
export function readTexts(field: string, given: unknown): Record<string, string> {
  const texts = plainInput({ [field]: given })[field] ?? {}
  if (!isRecord(texts) || !Object.values(texts).every((value) => typeof value === 'string')) {
    throw badJson(`${field}: must map names to strings`)
  }
  return texts as Record<string, string>
}

/** An input with nothing but what JSON can say. */
export const plainInput = (input: object): Record<string, unknown> =>
  plainJson(parseJson(asItTravels(input)))

/** What should have been written in a transaction, and come or gone with it, would be written outside. */
function refuseTransaction(input: object): void {
  const misplaced = ['em', 'tx'].find((name) => Object(input)[name] !== undefined)
  if (misplaced)
    throw new TypeError(`${misplaced} belongs to the options, which are the last argument`)
}

/** What travels in a body, and as much again for what else a host knows of a user whom it imports. */
const maxInputBytes = 2 * maxBodyBytes

/** What was read of an input, with whose token it is where one is asked for. */
export type ReadCall<Input> = Unread<Input> &
  ('accessToken' extends keyof Input ? { accessToken: string | null } : unknown)

/** The names of an input that the description of an endpoint knows. */
type NamesOf<E extends Endpoint> =
  | keyof NonNullable<E['body']>['kinds']
  | keyof E['query']
  | InPath<E['path']>
  | (E['caller'] extends 'user' ? 'accessToken' : never)

type InPath<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? InCode<Name> | InPath<Rest>
  : never

type InCode<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<InCode<Rest>>}`
  : Name

/**
 * What reads the input of a method by the description of the endpoint that it is the twin of. It does not compile
 * where the description lacks a field of the input.
 */
export function inputReader<Input extends object, E extends Endpoint>(
  endpoint: [Exclude<keyof Input, NamesOf<E>>] extends [never] ? E : never,
): (input: Input) => ReadCall<Input> {
  const { body, query, path, caller } = endpoint
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [inCode(name), Text])
  const described: Fields = fields({
    ...body?.kinds,
    ...query,
    ...Object.fromEntries(inPath),
    ...(caller === 'user' && { accessToken: Text }),
  })
  return (input) => {
    const { redirectTo, ...read } = readInput(input, described)
    return {
      ...read,
      ...('redirectTo' in described.kinds && { redirect: { target: redirectTo } }),
      ...(caller === 'user' && { accessToken: read['accessToken'] ?? null }),
    } as ReadCall<Input>
  }
}

const inCode = (wireName: string): string =>
  wireName.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

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
