import { isError } from '../kit/is-error.ts'

/** What a log may hold of an error. */
export interface FaultDescription {
  name: string
  code?: string
  message?: string
  stack?: string[]
  cause?: FaultDescription
}

/**
 * Describes an error for the log. The message of a database error is left out, since it quotes
 * values; its code and the places in the code remain.
 */
export function describeFault(error: unknown): FaultDescription {
  if (!isError(error)) return { name: typeof error }
  const code = 'code' in error && error.code !== undefined ? String(error.code) : undefined
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    ...(!quotesValues(error) && { message: error.message }),
    ...(frames && { stack: frames.map((line) => line.trim()) }),
    ...(error.cause !== undefined &&
      error.cause !== error && { cause: describeFault(error.cause) }),
  }
}

/**
 * Whether an error's message may hold rows or parameters. PostgreSQL's errors have a severity, the
 * ORM's are exceptions of a driver.
 */
export const quotesValues = (error: Error): boolean =>
  'severity' in error || error.name.endsWith('Exception') || error.name === 'ValidationError'
