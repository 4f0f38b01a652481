import { isError } from './is-error.ts'

/** The reason why a request to another server failed. */
export type FetchFailureReason = 'refused-url' | 'timed-out' | 'too-large' | 'unreachable'

export interface FetchFailure extends Error {
  name: 'FetchFailure'
  reason: FetchFailureReason
}

const inWords: Record<FetchFailureReason, string> = {
  'refused-url':
    'is not permitted: public hosts require https, and private hosts must be part of the configuration',
  'timed-out': 'did not respond in time',
  'too-large': 'sent a response that is too large',
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
