import type { ResolvedHook } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { type Carrier, carrierRejection } from '../carriers/carrier.ts'
import { type HookRequestNeeds, requestHook } from './call-hook.ts'
import type { HookOutput } from './hook-outcome.ts'

/**
 * The payload of a hook: `{ user, email_data }` or `{ user, sms }` for a message to send, or `{
 * user }`.
 */
export type HookMessage = HookOutput

/**
 * Returns a carrier that passes messages to the application. A message has the same id at each
 * attempt.
 */
export const sendThroughHook = (
  needs: HookRequestNeeds,
  point: 'sendEmail' | 'sendSms' | 'afterUserCreated' | 'events',
  hook: ResolvedHook,
): Carrier<HookMessage> => ({
  send: async (payload, { id, createdAt: at }) => {
    const outcome = await requestHook(needs, hook, { point, payload, id, at, ip: null })
    // An event cannot be rejected: it is retried until the hook accepts it.
    if ('error' in outcome) throw asRejection(outcome.error, outcome.isFinal && point !== 'events')
    return { carrierMessageId: null }
  },
})

/** Converts a rejection. A fault of a function in the process is kept. */
function asRejection(error: unknown, isFinal: boolean): unknown {
  if (!(error instanceof AuthError)) return error
  return carrierRejection(hideAddresses(error.message), { isFinal })
}
