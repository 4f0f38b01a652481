import { isError } from '../kit/is-error.ts'

/** What a log may hold of an error. */
export interface FaultDescription {
  name: string
  code?: string
  message?: string
  stack?: string[]
  cause?: FaultDescription
}

/** Causes that are told. Those of an application may lead back to where they began. */
const maxCauses = 8

/**
 * Describes an error for the log. The message of a database error is left out, since it quotes
 * values; its code and the places in the code remain.
 *
 * Members of any kind are expected: an application makes of its errors what it likes, and who describes one has no one left to tell.
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
 * Whether an error's message may hold rows or parameters. PostgreSQL's errors have a severity, the
 * ORM's are exceptions of a driver.
 */
export const quotesValues = (error: Error): boolean =>
  'severity' in error || /Exception$|^ValidationError$/.test(String(error.name))
