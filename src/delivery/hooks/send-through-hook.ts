import type { ResolvedHook } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { type Carrier, carrierRefusal } from '../carriers/carrier.ts'
import { type AskNeeds, askHook } from './call-hook.ts'
import type { HookOutput } from './hook-outcome.ts'

/** What a hook is given: `{ user, email_data }` or `{ user, sms }` to send, or `{ user }`. */
export type HookMessage = HookOutput

/**
 * A carrier that hands messages to the application. The hook is told of one message under one id, at
 * however many attempts.
 */
export const sendThroughHook = (
  needs: AskNeeds,
  point: 'sendEmail' | 'sendSms' | 'afterUserCreated' | 'events',
  hook: ResolvedHook,
): Carrier<HookMessage> => ({
  send: async (payload, { id, createdAt: at }) => {
    const outcome = await askHook(needs, hook, { point, payload, id, at, ip: null })
    // An event has happened, whatever is said to it: it is told until somebody takes it.
    if ('error' in outcome) throw asRefusal(outcome.error, outcome.isFinal && point !== 'events')
    return { carrierMessageId: null }
  },
})

/** A defect of a function in our process is no refusal, and stays what it is. */
function asRefusal(error: unknown, isFinal: boolean): unknown {
  if (!(error instanceof AuthError)) return error
  return carrierRefusal(hideAddresses(error.message), isFinal)
}
