import { isError } from '../kit/is-error.ts'

const logged = Symbol('logged')

/** Notes that the log contains an error, so that the response to it does not log it again. */
export function noteLogged(error: unknown): void {
  if (isError(error)) Object.defineProperty(error, logged, { value: true, configurable: true })
}

/** Reports whether the log contains an error already. */
export const isLogged = (error: unknown): boolean => isError(error) && logged in error
