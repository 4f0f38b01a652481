/** The location of a value during a validation. */
interface StructContext {
  branch: unknown[]
  path: unknown[]
  mask?: boolean
}

/** A value that a struct rejects. `message` does not contain the value; `value` and `branch` do. */
interface StructFailure {
  value: unknown
  key: unknown
  type: string
  refinement: string | undefined
  message: string
  explanation?: string
  branch: unknown[]
  path: unknown[]
}

/** The error of a validation: the first value that was rejected, and all of them. */
interface StructError extends TypeError, StructFailure {
  message: string
  failures(): StructFailure[]
  [member: string]: unknown
}

/**
 * A `Struct` of superstruct. The functions of superstruct, such as `object`, accept it.
 *
 * The published types contain it in place of that class, so that they refer to no other package.
 */
export interface InputStruct<T = unknown, Schema = unknown> {
  readonly TYPE: T
  type: string
  schema: Schema
  coercer(value: unknown, context: StructContext): unknown
  validator(value: unknown, context: StructContext): Iterable<StructFailure>
  refiner(value: T, context: StructContext): Iterable<StructFailure>
  entries(value: unknown, context: StructContext): Iterable<[string | number, unknown, InputStruct]>
  assert(value: unknown, message?: string): asserts value is T
  create(value: unknown, message?: string): T
  is(value: unknown): value is T
  mask(value: unknown, message?: string): T
  validate(
    value: unknown,
    options?: { coerce?: boolean; mask?: boolean; message?: string },
  ): [StructError, undefined] | [undefined, T]
}
