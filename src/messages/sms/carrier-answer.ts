import { isRecord } from '../../kit/is-record.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** A value of an answer as an object; an empty one where it is something else. */
export const asObject = (value: unknown): JsonObject => (isRecord(value) ? value : {})

/** The first object of a list; an empty one where there is none. */
export const firstOf = (list: unknown): JsonObject => asObject(Array.isArray(list) ? list[0] : null)

/** A text or number of an answer as text; empty where it is something else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
