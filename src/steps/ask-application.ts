import type { HookPoint } from '../config/sections/hooks.ts'
import type { AuthContext } from '../deps.ts'
import { callHook } from '../hooks/call-hook.ts'
import { hookFailed } from '../hooks/hook-errors.ts'
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

/**
 * What a hook says that judges an attempt: its message where it rejects it, else null.
 *
 * @throws AuthError `unexpected_failure` (500) for a decision that there is not: nobody gets past a hook by its slip.
 */
export function rejectionIn(said: HookOutput | null, defaultMessage: string): string | null {
  const decision = said?.['decision'] ?? 'continue'
  if (decision === 'continue' || decision === '') return null
  if (decision !== 'reject') throw hookFailed('output decision must be "continue" or "reject"')
  const message = said?.['message']
  return typeof message === 'string' && message !== '' ? message : defaultMessage
}
