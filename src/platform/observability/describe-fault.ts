import { isError } from '../kit/is-error.ts'

/** The parts of an error that a log may contain. */
export interface FaultDescription {
  name: string
  code?: string
  message?: string
  stack?: string[]
  cause?: FaultDescription
}

/** The maximum number of causes. An application's may be circular. */
const maxCauses = 8

/**
 * Describes an error for the log. The message of a database error is omitted, since it quotes
 * values; its code and its stack remain.
 *
 * Members may have any type, since an application can throw any value, and a fault in this function
 * could not be logged.
 */
export const describeFault = (error: unknown): FaultDescription => describe(error, maxCauses)

function describe(error: unknown, causesLeft: number): FaultDescription {
  if (!isError(error)) return { name: typeof error }
  const { name, message, stack, cause }: Partial<Record<keyof Error, unknown>> = error
  const code = 'code' in error ? error.code : undefined
  const frames = typeof stack === 'string' ? stack.split('\n') : []
  return {
    name: typeof name === 'string' ? name : 'Error',
    ...((typeof code === 'string' || typeof code === 'number') && { code: String(code) }),
    ...(typeof message === 'string' && !quotesValues(error) && { message }),
    ...(frames.length > 0 && {
      stack: frames.filter((line) => /^\s+at /.test(line)).map((line) => line.trim()),
    }),
    ...(cause !== undefined && causesLeft > 0 && { cause: describe(cause, causesLeft - 1) }),
  }
}

/**
 * Reports whether an error's message may contain rows or parameters. PostgreSQL's errors have a
 * severity, the ORM's are exceptions of a driver.
 */
export const quotesValues = (error: Error): boolean =>
  'severity' in error || /Exception$|^ValidationError$/.test(String(error.name))
