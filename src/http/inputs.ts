import { any, coerce, define, optional, type Struct } from 'superstruct'
import { isUuid } from '../kit/uuid.ts'

/**
 * A value of one JSON type. Superstruct's own types write the refused value into their message, which
 * may be a password, and fails to where an object brings a `toString` of its own.
 */
const jsonType = <T>(name: string, accepts: (value: unknown) => boolean): Struct<T, null> =>
  define<T>(name, (value) => accepts(value) || `has to be ${name}`)

/** On the wire a field that is `null` counts as one that is not there. */
const orMissing = <T>(struct: Struct<T, null>): Struct<T | undefined, null> =>
  // Asking superstruct whether a value is null would make an error with a stack for each that is not.
  coerce(optional(struct), any(), (value) => value ?? undefined) as Struct<T | undefined, null>

/** Some text, where given. */
export const Text = orMissing(jsonType<string>('string', (value) => typeof value === 'string'))
/** The text of a UUID, where given. */
export const Uuid = orMissing(jsonType<string>('UUID', isUuid))
/** A whole number, where given. */
export const Whole = orMissing(jsonType<number>('integer', Number.isSafeInteger))
/** True or false, where given. */
export const Flag = orMissing(jsonType<boolean>('boolean', (value) => typeof value === 'boolean'))
/** A JSON array of any content, where given. */
export const List = orMissing(jsonType<unknown[]>('array', Array.isArray))
/** A JSON object of any content, where given. */
export const Metadata = orMissing(
  jsonType<Record<string, unknown>>(
    'object',
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
)
