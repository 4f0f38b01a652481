import { boolean, coerce, define, literal, optional, type Struct, string } from 'superstruct'

/** On the wire a field that is `null` counts as one that is not there. */
const orMissing = <T>(struct: Struct<T, null>): Struct<T | undefined, null> =>
  coerce(optional(struct), literal(null), () => undefined) as Struct<T | undefined, null>

const jsonObject = define<Record<string, unknown>>(
  'object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

/** Some text, where given. */
export const Text = orMissing(string())
/** True or false, where given. */
export const Flag = orMissing(boolean())
/** A JSON object of any content, where given. */
export const Metadata = orMissing(jsonObject as Struct<Record<string, unknown>, null>)
