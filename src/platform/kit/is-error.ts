import { types } from 'node:util'

/**
 * Reports whether a value is an error of any realm: under Jest, a host's errors are created in
 * another one.
 */
export const isError = (value: unknown): value is Error =>
  types.isNativeError(value) || value instanceof Error
