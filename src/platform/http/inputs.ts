import { isRecord } from '../kit/is-record.ts'
import { isUuid } from '../kit/uuid.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The kind of a request's field: a value of one JSON type, or none. On the wire `null` counts as
 * none.
 */
export interface FieldKind<T, IsRequired extends boolean = boolean> {
  /** The name of the type in error messages. */
  readonly type: string
  /** Reports whether a present value is valid. */
  readonly accepts: (value: unknown) => boolean
  /** The schema of a present value. */
  readonly jsonSchema: JsonSchema
  /**
   * Whether the endpoint rejects a request without it. The flow does so, with the wire's message.
   */
  readonly isRequired: IsRequired
  /** Whether it may need a large body: see `body-limit.ts`. */
  readonly isLarge?: boolean
  /** Its name on the wire, if that is not its name in `snake_case`. */
  readonly wireName?: string
  /** Never present: the type of the value, for the compiler. */
  readonly '~holds'?: T
}

const optional = <T>(
  type: string,
  accepts: (value: unknown) => boolean,
  jsonSchema: JsonSchema,
): FieldKind<T, false> => ({ type, accepts, jsonSchema, isRequired: false })

const isText = (value: unknown): boolean => typeof value === 'string'

/** An optional string. */
export const Text = optional<string>('string', isText, { type: 'string' })
/** An optional string of more than a few words: its flow limits the length. */
export const LongText: typeof Text = { ...Text, isLarge: true }
/** An optional UUID. */
export const Uuid = optional<string>('UUID', isUuid, { type: 'string', format: 'uuid' })
/** An optional whole number. */
export const Whole = optional<number>('integer', Number.isSafeInteger, { type: 'integer' })
/** An optional boolean. */
export const Flag = optional<boolean>('boolean', (value) => typeof value === 'boolean', {
  type: 'boolean',
})
/** An optional JSON array of any content. */
export const List = optional<unknown[]>('array', Array.isArray, { type: 'array' })
/** An optional JSON object of any content. */
export const Json = optional<Record<string, unknown>>('object', isRecord, { type: 'object' })
/** An optional JSON object of more than a few words. */
export const Metadata: FieldKind<Record<string, unknown>, false> = {
  ...Json,
  isLarge: true,
}

/** An optional string from a list. The flow rejects other texts, with the wire's message. */
export const oneOf = (words: readonly string[]): FieldKind<string, false> => ({
  ...Text,
  jsonSchema: { type: 'string', enum: words },
})

/** Returns the same kind for a required field. */
export const required = <T>(kind: FieldKind<T>): FieldKind<T, true> => ({
  ...kind,
  isRequired: true,
})

/** Returns the same kind for a field with its own wire name. */
export const wireNamed = <T, R extends boolean>(
  wireName: string,
  kind: FieldKind<T, R>,
): FieldKind<T, R> => ({ ...kind, wireName })

/** Returns the wire name of a field or parameter: `codeChallenge` → `code_challenge`. */
export const wireNameOf = (name: string, kind?: FieldKind<unknown>): string =>
  kind?.wireName ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The fields of an object, by name. */
export type FieldKinds = Readonly<Record<string, FieldKind<unknown>>>

/** An object that has these fields; others are dropped. */
export interface Fields<Kinds extends FieldKinds = FieldKinds> {
  readonly kinds: Kinds
  /** Each name, with its wire name. */
  readonly wireNames: ReadonlyMap<string, string>
  /** Whether its content may be large: see `body-limit.ts`. */
  readonly mayBeLarge: boolean
}

/** Computes once the values that each request needs. */
export const fields = <const Kinds extends FieldKinds>(kinds: Kinds): Fields<Kinds> => ({
  kinds,
  wireNames: new Map(Object.entries(kinds).map(([name, kind]) => [name, wireNameOf(name, kind)])),
  mayBeLarge: Object.values(kinds).some((kind) => kind.isLarge),
})

/** The fields read from an object; each may be missing. */
export type Read<Kinds> = {
  [Name in keyof Kinds]?: (Kinds[Name] extends FieldKind<infer T> ? T : never) | undefined
}
