import { Struct } from 'superstruct'
import { isUuid } from '../kit/uuid.ts'

/**
 * A value of one JSON type, or none: on the wire a field that is `null` counts as one that is not there.
 *
 * Superstruct's own types write the refused value into their message, which may be a password, and fail
 * to where an object brings a `toString` of its own. Its `optional` and `coerce` would each check the
 * value once more.
 */
const given = <T>(
  name: string,
  accepts: (value: unknown) => boolean,
): Struct<T | undefined, null> =>
  new Struct<T | undefined, null>({
    type: name,
    schema: null,
    coercer: (value) => value ?? undefined,
    validator: (value) => value === undefined || accepts(value) || `has to be ${name}`,
  })

/** Some text, where given. */
export const Text = given<string>('string', (value) => typeof value === 'string')
/** The text of a UUID, where given. */
export const Uuid = given<string>('UUID', isUuid)
/** A whole number, where given. */
export const Whole = given<number>('integer', Number.isSafeInteger)
/** True or false, where given. */
export const Flag = given<boolean>('boolean', (value) => typeof value === 'boolean')
/** A JSON array of any content, where given. */
export const List = given<unknown[]>('array', Array.isArray)
/** A JSON object of any content, where given. */
export const Metadata = given<Record<string, unknown>>(
  'object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
