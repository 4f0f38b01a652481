import { isRecord } from '../kit/is-record.ts'
import { isUuid } from '../kit/uuid.ts'
import type { JsonSchema } from './json-schema.ts'

/** What a field of a request holds: a value of one JSON type, or none. On the wire `null` counts as none. */
export interface FieldKind<T, IsRequired extends boolean = boolean> {
  /** What a refusal says that the field has to be. */
  readonly type: string
  /** Whether a value that is given is one. */
  readonly accepts: (value: unknown) => boolean
  /** Of a value that is given. */
  readonly jsonSchema: JsonSchema
  /** Whether the endpoint refuses a request without it. The flow does, in the words of the wire. */
  readonly isRequired: IsRequired
  /** Whether it may need a large body: see `body-limit.ts`. */
  readonly isLarge?: boolean
  /** Its name on the wire, where that is not its name in `snake_case`. */
  readonly wireName?: string
  /** Never there: it tells the compiler what is held. */
  readonly '~holds'?: T
}

const optional = <T>(
  type: string,
  accepts: (value: unknown) => boolean,
  jsonSchema: JsonSchema,
): FieldKind<T, false> => ({ type, accepts, jsonSchema, isRequired: false })

const isText = (value: unknown): boolean => typeof value === 'string'

/** Some text, where given. */
export const Text = optional<string>('string', isText, { type: 'string' })
/** The same, of more than a few words: its flow says how much. */
export const LongText: typeof Text = { ...Text, isLarge: true }
/** The text of a UUID, where given. */
export const Uuid = optional<string>('UUID', isUuid, { type: 'string', format: 'uuid' })
/** A whole number, where given. */
export const Whole = optional<number>('integer', Number.isSafeInteger, { type: 'integer' })
/** True or false, where given. */
export const Flag = optional<boolean>('boolean', (value) => typeof value === 'boolean', {
  type: 'boolean',
})
/** A JSON array of any content, where given. */
export const List = optional<unknown[]>('array', Array.isArray, { type: 'array' })
/** A JSON object of any content, where given. */
export const Json = optional<Record<string, unknown>>('object', isRecord, { type: 'object' })
/** The same, of more than a few words. */
export const Metadata: FieldKind<Record<string, unknown>, false> = {
  ...Json,
  isLarge: true,
}

/** One of these words, where given. The flow refuses any other text, in the words of the wire. */
export const oneOf = (words: readonly string[]): FieldKind<string, false> => ({
  ...Text,
  jsonSchema: { type: 'string', enum: words },
})

/** The same kind of a field that has to be given. */
export const required = <T>(kind: FieldKind<T>): FieldKind<T, true> => ({
  ...kind,
  isRequired: true,
})

/** The same kind of a field that has a name of its own on the wire. */
export const wireNamed = <T, R extends boolean>(
  wireName: string,
  kind: FieldKind<T, R>,
): FieldKind<T, R> => ({ ...kind, wireName })

/** The name on the wire of a field or parameter: `codeChallenge` → `code_challenge`. */
export const wireNameOf = (name: string, kind?: FieldKind<unknown>): string =>
  kind?.wireName ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The fields of an object, by name. */
export type FieldKinds = Readonly<Record<string, FieldKind<unknown>>>

/** An object that has these fields; others are dropped. */
export interface Fields<Kinds extends FieldKinds = FieldKinds> {
  readonly kinds: Kinds
  /** Each name, and that on the wire. */
  readonly wireNames: ReadonlyMap<string, string>
  /** Whether what it holds may be large: see `body-limit.ts`. */
  readonly mayBeLarge: boolean
}

/** Works out once what would be asked for at each request. */
export const fields = <const Kinds extends FieldKinds>(kinds: Kinds): Fields<Kinds> => ({
  kinds,
  wireNames: new Map(Object.entries(kinds).map(([name, kind]) => [name, wireNameOf(name, kind)])),
  mayBeLarge: Object.values(kinds).some((kind) => kind.isLarge),
})

/** What was read of an object: any of its fields may be missing. */
export type Read<Kinds> = {
  [Name in keyof Kinds]?: (Kinds[Name] extends FieldKind<infer T> ? T : never) | undefined
}
