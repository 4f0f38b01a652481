import { types } from 'node:util'

/** Whether it is an error, of whatever realm: a host's errors are made in a context of its own under Jest. */
export const isError = (value: unknown): value is Error =>
  types.isNativeError(value) || value instanceof Error
