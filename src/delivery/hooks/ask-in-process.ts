import type { HookFunction } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { hookFailed, hookTimeout } from './hook-errors.ts'
import {
  type HookOutcome,
  isErrorStatus,
  isFinalStatus,
  type PayloadOfHook,
  readOutput,
} from './hook-outcome.ts'

/**
 * Asks a function of the application's. It may answer as a hook on the web does, or throw: an AuthError
 * is its no, anything else a fault.
 */
export async function askInProcess(
  run: HookFunction,
  { point, payload }: PayloadOfHook,
  timeoutMs: number,
): Promise<HookOutcome> {
  try {
    const output = await withinTime(
      // It may change what it is given.
      Promise.resolve().then(() => run(structuredClone(payload) as never)),
      timeoutMs,
      () => hookTimeout(timeoutMs / 1000),
    )
    return readOutput(point, output)
  } catch (error) {
    return refusalOf(error)
  }
}

function refusalOf(error: unknown): HookOutcome {
  if (!(error instanceof AuthError)) return { error, isFinal: false }
  // By any other status the client would take it for an answer, or get none.
  return isErrorStatus(error.status)
    ? { error: withSafeDetails(error), isFinal: isFinalStatus(error.status) }
    : {
        error: hookFailed('The hook must refuse with a status of 400 to 599', error),
        isFinal: false,
      }
}

/** What headers are made of is checked here: a value that no header can have would leave the request without an answer. */
function withSafeDetails(error: AuthError): AuthError {
  const { retryAfterSeconds, allowedMethods, ...details } = error.details
  if (retryAfterSeconds === undefined && allowedMethods === undefined) return error
  const isWait = Number.isSafeInteger(retryAfterSeconds) && (retryAfterSeconds ?? -1) >= 0
  const kept = { ...details, ...(isWait && { retryAfterSeconds: retryAfterSeconds as number }) }
  return new AuthError(error.code, error.status, error.message, kept, { cause: error })
}
