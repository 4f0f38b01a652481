import { isError } from './is-error.ts'

/** The reason why a request to another server failed. */
export type FetchFailureReason = 'refused-url' | 'timed-out' | 'too-large' | 'unreachable'

export interface FetchFailure extends Error {
  name: 'FetchFailure'
  reason: FetchFailureReason
}

const inWords: Record<FetchFailureReason, string> = {
  'refused-url':
    'may not be asked: https is needed on the Internet, and only the configuration names private hosts',
  'timed-out': 'did not answer in time',
  'too-large': 'answered more than is read',
  unreachable: 'cannot be reached',
}

/**
 * @param origin scheme, host and port: path, query and credentials may contain secrets.
 * @param cause the network error.
 */
export const fetchFailure = (
  reason: FetchFailureReason,
  origin: string,
  cause?: unknown,
): FetchFailure =>
  Object.assign(new Error(`${origin} ${inWords[reason]}`, { cause }), {
    name: 'FetchFailure' as const,
    reason,
  })

export const isFetchFailure = (error: unknown): error is FetchFailure =>
  isError(error) && error.name === 'FetchFailure'
