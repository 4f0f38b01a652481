import type { HookFunction } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { hookFailed, hookTooSlow } from './hook-errors.ts'
import {
  type HookOutcome,
  isErrorStatus,
  isFinalStatus,
  type PayloadOfHook,
  readOutput,
} from './hook-outcome.ts'

/**
 * Calls a function of the application. It may return the response of an HTTP hook, or throw: an
 * AuthError is a rejection, other exceptions are faults.
 */
export async function callFunctionHook(
  run: HookFunction,
  { point, payload }: PayloadOfHook,
  timeoutMs: number,
): Promise<HookOutcome> {
  try {
    const output = await withinTime(
      // A copy, since the function may change it.
      Promise.resolve().then(() => run(structuredClone(payload) as never)),
      timeoutMs,
      () => hookTooSlow(timeoutMs / 1000),
    )
    return readOutput(point, output)
  } catch (error) {
    return rejectionOf(error)
  }
}

function rejectionOf(error: unknown): HookOutcome {
  if (!(error instanceof AuthError)) return { error, isFinal: false }
  // The client would treat any other status as a success, or receive no response.
  return isErrorStatus(error.status)
    ? { error: withSafeDetails(error), isFinal: isFinalStatus(error.status), isRejection: true }
    : {
        error: hookFailed('The hook must reject with a status of 400 to 599', error),
        isFinal: false,
      }
}

/**
 * Returns the error as one of a hook, with valid values for headers: an invalid header value would
 * prevent the response.
 */
function withSafeDetails(error: AuthError): AuthError {
  const { retryAfterSeconds, allowedMethods, ...details } = error.details
  const isWait = Number.isSafeInteger(retryAfterSeconds) && (retryAfterSeconds ?? -1) >= 0
  const kept = {
    ...details,
    isHookMessage: error.message !== '',
    ...(isWait && { retryAfterSeconds: retryAfterSeconds as number }),
  }
  return new AuthError(error.code, error.status, error.message, kept, { cause: error })
}
