import type { HookPoint } from '../config/sections/hooks.ts'
import type { AuthContext } from '../deps.ts'
import { callHook } from '../hooks/call-hook.ts'
import type { HookOutput } from '../hooks/hook-outcome.ts'

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
  return callHook(ctx, hook, {
    point,
    payload,
    id: ctx.random.uuid(),
    at: ctx.clock.now(),
    ip: ctx.request.ip,
  })
}

/** What a hook says that judges an attempt: its message where it rejects it, else null. */
export function rejectionIn(said: HookOutput | null, defaultMessage: string): string | null {
  if (said?.['decision'] !== 'reject') return null
  const { message } = said
  return typeof message === 'string' && message !== '' ? message : defaultMessage
}
