import { isError } from '../kit/is-error.ts'

const logged = Symbol('logged')

/** Notes that the log contains an error, so that the response to it does not log it again. */
export function noteLogged(error: unknown): void {
  // An application may throw a frozen error, which is logged twice.
  if (isError(error)) Reflect.defineProperty(error, logged, { value: true })
}

/** Reports whether the log contains an error already. */
export const isLogged = (error: unknown): boolean => isError(error) && logged in error
