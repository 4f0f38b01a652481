import type { JsonReader } from '../../../platform/config/sections/provider-definition.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'

/** Creates a reader for the JSON of another server. */
export function jsonReader(root: unknown): JsonReader {
  const value = (...path: (string | number)[]): unknown => path.reduce(memberOf, root)
  return {
    value,
    text: (...path) => textOf(value(...path)),
    number: (...path) => {
      const found = value(...path)
      return typeof found === 'number' ? found : null
    },
    isTrue: (...path) => value(...path) === true,
    list: (...path) => {
      const found = value(...path)
      return Array.isArray(found) ? found.map(jsonReader) : []
    },
  }
}

function memberOf(whole: unknown, key: string | number): unknown {
  if (Array.isArray(whole)) return typeof key === 'number' ? whole[key] : undefined
  return isRecord(whole) && Object.hasOwn(whole, key) ? whole[key] : undefined
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null
}
