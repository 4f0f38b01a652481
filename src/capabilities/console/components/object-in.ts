import { isRecord } from '../../../platform/kit/is-record.ts'
import { textIn } from './form-fields.ts'

/** Returns the object that a field contains in JSON; empty without text, null for another text. */
export function objectIn(form: URLSearchParams, name: string): Record<string, unknown> | null {
  const text = textIn(form, name)
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
