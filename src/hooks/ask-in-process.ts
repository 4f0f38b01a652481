import type { HookFunction } from '../config/sections/hooks.ts'
import { AuthError } from '../errors/auth-error.ts'
import { isRecord } from '../kit/is-record.ts'
import { withinTime } from '../kit/within-time.ts'
import { hookFailed, hookTimeout } from './hook-errors.ts'
import { type HookOutcome, type HookOutput, isFinalStatus, readOutput } from './hook-outcome.ts'

/**
 * Asks a function of the application's. It may answer as a hook on the web does, or throw: an AuthError
 * is its no, anything else a fault.
 */
export async function askInProcess(
  run: HookFunction,
  payload: HookOutput,
  timeoutMs: number,
): Promise<HookOutcome> {
  try {
    const output = await withinTime(
      // It may change what it is given.
      Promise.resolve().then(() => run(structuredClone(payload) as never)),
      timeoutMs,
      () => hookTimeout(timeoutMs / 1000),
    )
    if (output === undefined || output === null) return { output: {} }
    return isRecord(output)
      ? readOutput(output)
      : { error: hookFailed('The hook must return an object or nothing'), isFinal: true }
  } catch (error) {
    return { error, isFinal: error instanceof AuthError && isFinalStatus(error.status) }
  }
}
