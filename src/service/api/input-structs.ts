import type { InputStruct } from '../../platform/http/input-struct.ts'
import { type FieldKind, fields } from '../../platform/http/inputs.ts'
import { implementations } from '../endpoints.ts'
import type { AdminApi } from './admin-api.ts'
import type { AuthMethods } from './auth-api.ts'
import { inputFieldsOf } from './derived-methods.ts'
import type { MethodName } from './lazily.ts'

export type { InputStruct } from '../../platform/http/input-struct.ts'

/** The struct of one field, with its description. */
export type InputField = FieldKind<unknown>

type ApiMethod = `auth.api.${keyof AuthMethods}` | `auth.admin.${MethodName<AdminApi>}`

/**
 * Returns the struct of superstruct by which a method of an endpoint reads its input. It checks the
 * JSON types of the fields, which the struct has in `schema`. Unknown members are accepted, and
 * dropped by `create`.
 *
 * ```ts
 * const [error, input] = inputStruct('auth.api.signUp').validate(form, { coerce: true })
 * ```
 *
 * @throws TypeError for a method without an input of its own.
 */
export function inputStruct(
  method: ApiMethod,
): InputStruct<Record<string, unknown>, Readonly<Record<string, InputField>>> {
  const found = implementations.find(({ endpoint }) => endpoint.inCode === method)
  const input = found && inputFieldsOf(found.endpoint, found.method?.fields)
  if (!input) throw new TypeError(`${method} has no input of an endpoint`)
  return fields({ ...input.texts.kinds, ...input.described.kinds }).inCode
}
