import { define, Struct } from 'superstruct'
import { isRecord } from '../kit/is-record.ts'
import { isUuid } from '../kit/uuid.ts'
import type { InputStruct } from './input-struct.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * A field of a request: a struct that accepts the values of one JSON type, and its description.
 *
 * The message of a struct names the type and never contains the value, which may be a password.
 */
export interface FieldKind<T, IsRequired extends boolean = boolean>
  extends InputStruct<T, null>,
    FieldDescription<IsRequired> {}

/** A kind with the test of its struct. Every kind has it, and the published types do not. */
interface TestedKind extends FieldKind<unknown> {
  /** Whether a value has the JSON type. */
  accepts(value: unknown): boolean
}

/** The description of a field for documents, and for the code that reads it. */
export interface FieldDescription<IsRequired extends boolean = boolean> {
  /** The schema of a value. `null` is accepted, too, and means that the field is absent. */
  readonly jsonSchema: JsonSchema
  /** Whether the flow rejects a request without it, with the wire's message. */
  readonly isRequired: IsRequired
  /** Whether it may need a large body: see `body-limit.ts`. */
  readonly isLarge?: boolean
  /** Its name on the wire, if that is not its name in `snake_case`. */
  readonly wireName?: string
}

const optional = <T>(
  type: string,
  accepts: (value: unknown) => boolean,
  jsonSchema: JsonSchema,
): FieldKind<T, false> => {
  const struct = define<T>(type, (value) => accepts(value) || `has to be ${type}`)
  return Object.assign(struct, { accepts, jsonSchema, isRequired: false as const })
}

/** Returns a field with the struct of `kind` and another description. */
const described = <T, R extends boolean, More extends Partial<FieldDescription>>(
  kind: FieldKind<T, R>,
  more: More,
): FieldKind<T, R> & More => Object.assign(new Struct<T, null>(kind), { ...kind, ...more })

/** An optional string. */
export const Text = optional<string>('string', (value) => typeof value === 'string', {
  type: 'string',
})
/** An optional string of more than a few words: its flow limits the length. */
export const LongText: FieldKind<string, false> = described(Text, { isLarge: true })
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
export const Metadata: FieldKind<Record<string, unknown>, false> = described(Json, {
  isLarge: true,
})

/** An optional string from a list. The flow rejects other texts, with the wire's message. */
export const oneOf = (words: readonly string[]): FieldKind<string, false> =>
  described(Text, { jsonSchema: { type: 'string', enum: words } })

/** Returns the same kind for a required field. */
export const required = <T>(kind: FieldKind<T>): FieldKind<T, true> =>
  described(kind, { isRequired: true as const })

/** Returns the same kind for a field with its own wire name. */
export const wireNamed = <T, R extends boolean>(
  wireName: string,
  kind: FieldKind<T, R>,
): FieldKind<T, R> => described(kind, { wireName })

/** Returns the wire name of a field or parameter: `codeChallenge` → `code_challenge`. */
export const wireNameOf = (name: string, kind?: FieldKind<unknown>): string =>
  kind?.wireName ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The fields of an object, by name. */
export type FieldKinds = Readonly<Record<string, FieldKind<unknown>>>

/** The fields of an object. Others are dropped. */
export interface Fields<Kinds extends FieldKinds = FieldKinds> {
  readonly kinds: Kinds
  /** The struct of an object whose fields have their names in code. */
  readonly inCode: InputStruct<Read<Kinds>, Kinds>
  /** The struct of an object whose fields have their wire names. */
  readonly onWire: InputStruct<Record<string, unknown>, FieldKinds>
  /** Each name, with its wire name. */
  readonly wireNames: ReadonlyMap<string, string>
  /**
   * Reads an object whose fields have these names. Returns null if a value is not accepted; the
   * struct of the object describes why, and takes longer.
   */
  readAccepted(value: unknown, names: 'inCode' | 'onWire'): Read<Kinds> | null
  /** Whether a value may be large: see `body-limit.ts`. */
  readonly mayBeLarge: boolean
}

/** Describes the fields of an object. Its parts are computed once, by the first request. */
export const fields = <const Kinds extends FieldKinds>(kinds: Kinds): Fields<Kinds> =>
  new LazyFields(kinds)

class LazyFields<Kinds extends FieldKinds> implements Fields<Kinds> {
  readonly kinds: Kinds
  #inCode: Fields<Kinds>['inCode'] | undefined
  #onWire: Fields<Kinds>['onWire'] | undefined
  #wireNames: Fields<Kinds>['wireNames'] | undefined
  #mayBeLarge: boolean | undefined

  constructor(kinds: Kinds) {
    this.kinds = kinds
  }

  get inCode() {
    this.#inCode ??= objectOf<Read<Kinds>, Kinds>(this.kinds)
    return this.#inCode
  }

  get onWire() {
    this.#onWire ??= objectOf<Record<string, unknown>, FieldKinds>(
      Object.fromEntries(this.#named((name, kind) => [wireNameOf(name, kind), kind])),
    )
    return this.#onWire
  }

  get wireNames() {
    this.#wireNames ??= new Map(this.#named((name, kind) => [name, wireNameOf(name, kind)]))
    return this.#wireNames
  }

  readAccepted(value: unknown, names: 'inCode' | 'onWire'): Read<Kinds> | null {
    if (!isRecord(value)) return null
    const read: Record<string, unknown> = {}
    for (const [name, wireName] of this.wireNames) {
      const held = heldIn(value, names === 'onWire' ? wireName : name)
      if (held === null) continue
      if (!(this.kinds[name] as TestedKind).accepts(held)) return null
      read[name] = held
    }
    return read as Read<Kinds>
  }

  get mayBeLarge() {
    this.#mayBeLarge ??= Object.values(this.kinds).some((kind) => kind.isLarge)
    return this.#mayBeLarge
  }

  #named<Value>(entry: (name: string, kind: FieldKind<unknown>) => [string, Value]) {
    return Object.entries(this.kinds).map(([name, kind]) => entry(name, kind))
  }
}

/**
 * Returns the struct of an object with these fields, each of which may be absent or null. Unknown
 * members are accepted, and dropped by `create` and `mask`.
 *
 * Unlike the `type` of superstruct, its messages do not contain the value, and it reads own members
 * only: inherited ones, such as `toString`, count as absent.
 */
function objectOf<T, Kinds extends FieldKinds>(schema: Kinds): InputStruct<T, Kinds> {
  const given = Object.entries(schema)
  return new Struct<T, Kinds>({
    type: 'object',
    schema,
    validator: (value) => isRecord(value) || `has to be ${Json.type}`,
    *entries(value) {
      if (!isRecord(value)) return
      for (const [name, kind] of given) {
        const held = heldIn(value, name)
        if (held !== null) yield [name, held, kind]
      }
    },
    coercer(value) {
      if (!isRecord(value)) return value
      const kept: Record<string, unknown> = {}
      for (const [name] of given) {
        const held = heldIn(value, name)
        if (held !== null) kept[name] = held
      }
      return kept
    },
  })
}

/** Returns an own member, as {@link objectOf} reads it; null if it is absent. */
const heldIn = (value: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(value, name) ? (value[name] ?? null) : null

/** The fields read from an object; each may be missing. */
export type Read<Kinds> = {
  [Name in keyof Kinds]?: (Kinds[Name] extends FieldKind<infer T> ? T : never) | undefined
}
