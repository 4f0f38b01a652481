import type { HookPoint } from '../config/sections/hooks.ts'
import type { AuthContext } from '../deps.ts'
import { callHook, hookNames } from '../hooks/call-hook.ts'
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
  const call = {
    point,
    payload,
    id: ctx.random.uuid(),
    at: ctx.clock.now(),
    ip: ctx.request.ip,
  }
  return underItsName(ctx, point, async () => {
    const said = await callHook(ctx, hook, call)
    if (said?.['decision'] === 'reject') noteHook(ctx, point)
    return said
  })
}

/**
 * Does what a hook says. Where that is a refusal, or nothing that can be done, an operator who asks why is told which hook it
 * was: the error may have any code.
 */
export async function underItsName<T>(
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
