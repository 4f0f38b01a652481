import type { Rate } from '../config/sections/values.ts'
import { sha256Hex } from '../kit/digest.ts'

/**
 * What an interval between messages is counted for. Slots go by what was asked for, not by the message
 * that results: whether an address is known does not show.
 */
export type SendSlot = (typeof sendSlots)[number]

const sendSlots = ['sign-up', 'sign-in', 'email-change', 'reauthentication', 'sms'] as const

/** The settings that these limits are made from. */
export interface SendSettings {
  email: { maxFrequencySeconds: number | null; autoconfirm: boolean }
  sms: { maxFrequencySeconds: number; autoconfirm: boolean }
  rateLimits: { emailSent: Rate | null; smsSent: Rate | null }
}

/** What one request to send takes: the interval of whoever it is for, and one of the service's budget. */
export interface SendLimits {
  interval: { key: string; seconds: number } | null
  budget: { key: string; rate: Rate } | null
}

/** Nothing is counted, as for what goes to the development mailbox. */
export const unlimited: SendLimits = { interval: null, budget: null }

/**
 * The limits of a request to send.
 *
 * @param subject whom it is for: an address, or the id of the user who asks.
 */
export const sendLimits = (
  settings: SendSettings,
  slot: SendSlot,
  subject: string,
): SendLimits => ({
  interval: intervalOf(settings, slot, subject),
  budget: budgetOf(settings, slot === 'sms' ? 'sms' : 'email'),
})

/** What an invitation takes: no interval, but one of the budget. */
export const budgetAlone = (settings: SendSettings): SendLimits => ({
  interval: null,
  budget: budgetOf(settings, 'email'),
})

/** Under what all intervals of an address or user are counted. */
export const intervalKeys = (subject: string): string[] =>
  sendSlots.map((slot) => intervalKey(slot, subject))

const intervalKey = (slot: SendSlot, subject: string): string =>
  sha256Hex(`send:${slot}:${subject}`)

function intervalOf(settings: SendSettings, slot: SendSlot, subject: string) {
  const seconds = intervalSeconds(settings, slot)
  return seconds > 0 ? { key: intervalKey(slot, subject), seconds } : null
}

function intervalSeconds({ email, sms }: SendSettings, slot: SendSlot): number {
  if (slot === 'sms') return sms.maxFrequencySeconds
  return email.maxFrequencySeconds ?? (slot === 'sign-up' ? 900 : 60)
}

/** Where addresses confirm themselves little is sent, and the wire has no budget but that of zero. */
function budgetOf({ email, sms, rateLimits }: SendSettings, kind: 'email' | 'sms') {
  const rate = kind === 'email' ? rateLimits.emailSent : rateLimits.smsSent
  const { autoconfirm } = kind === 'email' ? email : sms
  if (rate === null || (autoconfirm && rate.count > 0)) return null
  return { key: `send-budget:${kind}`, rate }
}
