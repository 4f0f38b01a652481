import type { AuthContext } from '../../accounts/auth-context.ts'
import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import { AuthError, type AuthErrorDetails } from '../../platform/errors/auth-error.ts'
import { callHook, hookNames, logHookFailure } from './call-hook.ts'
import type { HookOutput } from './hook-outcome.ts'

/**
 * Calls the application's hook for this operation.
 *
 * @returns the hook's response; null if no hook is configured.
 * @throws AuthError as {@link callHook}.
 */
export async function requestDecision(
  ctx: AuthContext,
  point: HookPoint,
  payload: HookOutput,
): Promise<HookOutput | null> {
  const hook = ctx.config.hooks[point]
  if (!hook.enabled) return null
  const call = {
    point,
    payload,
    id: ctx.random.uuid(),
    at: ctx.clock.now(),
    ip: ctx.request.ip,
  }
  return withHookName(ctx, point, async () => {
    const decision = await callHook(ctx, hook, call)
    if (decision?.['decision'] === 'reject') recordHook(ctx, point)
    return decision
  })
}

/**
 * Runs work with a hook's response. A rejection is logged as a failure of the hook.
 *
 * @param use throws an AuthError if the response is invalid.
 */
export const withHookFailure = <T>(
  ctx: AuthContext,
  point: HookPoint,
  use: () => T | Promise<T>,
): Promise<T> =>
  withHookName(ctx, point, async () => {
    try {
      return await use()
    } catch (error) {
      if (error instanceof AuthError) logHookFailure(ctx, point, error)
      throw error
    }
  })

/**
 * Runs work that a hook's response decides. For a rejection or an invalid response, the name of the
 * hook is recorded for `latchkey why`, since the error may have any code.
 */
async function withHookName<T>(
  ctx: AuthContext,
  point: HookPoint,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    recordHook(ctx, point)
    throw error
  }
}

const recordHook = ({ request }: AuthContext, point: HookPoint): void =>
  request.decided({ kind: 'hook', rule: hookNames[point] })

/** The message of a hook that rejects an attempt. */
export interface HookRejection {
  message: string
  details: Pick<AuthErrorDetails, 'isHookMessage'>
}

/**
 * Returns the rejection of an attempt; null if the attempt continues. Other decisions were rejected
 * when the response was parsed.
 */
export function rejectionIn(
  decision: HookOutput | null,
  defaultMessage: string,
): HookRejection | null {
  if (decision?.['decision'] !== 'reject') return null
  const message = decision?.['message']
  return typeof message === 'string' && message !== ''
    ? { message, details: { isHookMessage: true } }
    : { message: defaultMessage, details: {} }
}
