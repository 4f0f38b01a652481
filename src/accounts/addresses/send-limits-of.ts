import { findTestCode } from '../../delivery/sms/test-codes.ts'
import {
  type SendLimits,
  type SendSlot,
  sendLimits,
  targetLimits,
  unlimited,
} from '../../limits/send-limits.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'

/**
 * What a message to an address is counted against. Nothing is, while it goes to the development
 * mailbox; a test number, which no message goes to, takes nothing of the budget.
 *
 * @param slot what was asked for; for a phone it is always `sms`.
 * @param userId who is signed in and asks: the interval is theirs. Else it is the client's, for the address.
 */
export function sendLimitsOf(
  { config, mailboxTakes, clock, request }: AuthContext,
  slot: SendSlot,
  { kind, value }: Address,
  userId?: string,
): SendLimits {
  if (mailboxTakes[kind]) return unlimited
  const newAddress = slot === 'email-change' ? value : null
  const subject = userId === undefined ? { address: value } : { userId, newAddress }
  const limits = sendLimits(config, kind === 'phone' ? 'sms' : slot, subject, request.clientKey())
  const isTest = kind === 'phone' && findTestCode(config.sms, value, clock.now()) !== null
  return isTest ? { ...limits, budget: null } : limits
}

/** What a message to an address is counted against, where the request for it was counted for another address. */
export const targetLimitsOf = (
  { config, mailboxTakes }: AuthContext,
  slot: SendSlot,
  { kind, value }: Address,
): SendLimits => (mailboxTakes[kind] ? unlimited : targetLimits(config, slot, value))
