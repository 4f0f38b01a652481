import type { AuthContext } from '../../accounts/auth-context.ts'
import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import { callHook, hookNames } from './call-hook.ts'
import type { HookOutput } from './hook-outcome.ts'

/**
 * Asks the application about a request, where it has a hook at this point.
 *
 * @returns what it says; null where it has none.
 * @throws AuthError what {@link callHook} throws.
 */
export async function askApplication(
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
    const said = await callHook(ctx, hook, call)
    if (said?.['decision'] === 'reject') noteHook(ctx, point)
    return said
  })
}

/**
 * Does what a hook says. Where that is a refusal, or nothing that can be done, an operator who asks why is told which hook it
 * was: the error may have any code.
 */
export async function withHookName<T>(
  ctx: AuthContext,
  point: HookPoint,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    noteHook(ctx, point)
    throw error
  }
}

const noteHook = ({ request }: AuthContext, point: HookPoint): void =>
  request.decided({ kind: 'hook', rule: hookNames[point] })

/**
 * The message of a hook that rejects an attempt; null where the attempt continues. Any other decision was a
 * fault when the answer was read.
 */
export function rejectionIn(said: HookOutput | null, defaultMessage: string): string | null {
  if (said?.['decision'] !== 'reject') return null
  const message = said?.['message']
  return typeof message === 'string' && message !== '' ? message : defaultMessage
}
