import { jsonIn } from '../../../platform/http/plain-json.ts'
import { requireFewFields } from '../../../platform/http/read-request.ts'
import { isStorable } from '../../../platform/kit/storable-text.ts'
import { invalidRequest } from './oauth-errors.ts'

/** Returns a parameter of a request; undefined if it is absent or empty. */
export interface OauthParameters {
  /** @throws AuthError `invalid_request` for a repeated parameter. @see RFC 6749 §3.1, §3.2 */
  (name: string): string | undefined
  /** Returns whether a parameter is repeated. */
  isRepeated(name: string): boolean
}

/**
 * Reads the parameters of a body: a form, or a JSON object.
 *
 * @throws AuthError `bad_json`, `validation_failed` for a body that starts as JSON and is not a
 * plain
 *   object.
 */
export function parametersIn(text: string): OauthParameters {
  if (!/^\s*\{/.test(text)) return parametersOf(new URLSearchParams(requireFewFields(text)))
  const given = new URLSearchParams()
  const others = new Set<string>()
  for (const [name, value] of Object.entries(jsonIn(text))) {
    if (typeof value === 'string') given.append(name, value)
    else if (value !== null) others.add(name)
  }
  const read = parametersOf(given)
  const readText = (name: string): string | undefined => {
    if (others.has(name)) throw invalidRequest(`${name} has to be a string`)
    return read(name)
  }
  return Object.assign(readText, { isRepeated: () => false })
}

/** Reads the parameters of a query or form. */
export function parametersOf(given: URLSearchParams): OauthParameters {
  const read = (name: string): string | undefined => {
    const [value, ...others] = given.getAll(name)
    if (others.length > 0) throw invalidRequest(`${name} must not be repeated`)
    if (value && !isStorable(value)) {
      throw invalidRequest(`${name} holds characters that cannot be stored`)
    }
    return value || undefined
  }
  return Object.assign(read, { isRepeated: (name: string) => given.getAll(name).length > 1 })
}

/** Reads a body unparsed: a form, or a JSON object. */
export const readRawBody = () => (body: string) => ({ body })
