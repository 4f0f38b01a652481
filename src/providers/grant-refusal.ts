import { isError } from '../kit/is-error.ts'

/** A provider does not take a grant any more: it expired, was taken back or was spent. @see RFC 6749 §5.2 */
export interface GrantRefusal extends Error {
  name: 'GrantRefusal'
}

export const grantRefusal = (): GrantRefusal =>
  Object.assign(new Error('the provider refused the grant'), { name: 'GrantRefusal' as const })

export const isGrantRefusal = (error: unknown): error is GrantRefusal =>
  isError(error) && error.name === 'GrantRefusal'
