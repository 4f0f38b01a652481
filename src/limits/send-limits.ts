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
  sms: { maxFrequencySeconds: number }
  rateLimits: { emailSent: Rate | null; smsSent: Rate | null }
}

/** What one request to send takes: the interval of whoever it is for, and one of the service's budget. */
export interface SendLimits {
  interval: { key: string; seconds: number } | null
  budget: Budget | null
}

/** What all share, and how much of it one of them may take. */
export interface Budget {
  key: string
  rate: Rate
  /** So many are left to others: for the mails of operators, or for second factors. */
  reserved: number
  /** What the client may take of it; null where it is told apart from nobody, or may take all. */
  share: { key: string; rate: Rate } | null
}

/** Nothing is counted, as for what goes to the development mailbox. */
export const unlimited: SendLimits = { interval: null, budget: null }

/**
 * The limits of a request to send. No client takes more than a third of a budget, and all together leave a
 * fifth of it.
 *
 * @param subject whom it is for: an address, or the id of the user who asks.
 * @param client what limits per client are counted under; null where clients cannot be told apart.
 */
export const sendLimits = (
  settings: SendSettings,
  slot: SendSlot,
  subject: string,
  client: string | null,
): SendLimits => ({
  interval: intervalOf(settings, slot, subject),
  budget: sharedBudget(settings, slot === 'sms' ? 'sms' : 'email', client),
})

/** What the mail of an operator takes: no interval, and one of the whole budget, with its reserve. */
export const operatorLimits = (settings: SendSettings): SendLimits => ({
  interval: null,
  budget: wholeBudget(settings, 'email'),
})

/**
 * What the code of a second factor takes. Who asks for one has shown the first, so it may take what is
 * reserved; but no client takes more than its share.
 */
export const factorLimits = (
  settings: SendSettings,
  interval: SendLimits['interval'],
  client: string | null,
): SendLimits => {
  const budget = sharedBudget(settings, 'sms', client)
  return { interval, budget: budget && { ...budget, reserved: 0 } }
}

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

/**
 * Where emails confirm themselves little is mailed, and the wire has no budget but that of zero. An SMS
 * costs its fee all the same.
 */
function wholeBudget({ email, rateLimits }: SendSettings, kind: 'email' | 'sms'): Budget | null {
  const rate = kind === 'email' ? rateLimits.emailSent : rateLimits.smsSent
  const isLifted = kind === 'email' && email.autoconfirm && rate !== null && rate.count > 0
  return rate === null || isLifted
    ? null
    : { key: `send-budget:${kind}`, rate, reserved: 0, share: null }
}

/** What one person needs within the hour: a confirmation, another one, a forgotten password. */
const smallestShare = 3

function sharedBudget(
  settings: SendSettings,
  kind: 'email' | 'sms',
  client: string | null,
): Budget | null {
  const budget = wholeBudget(settings, kind)
  if (!budget) return null
  const { count, perSeconds } = budget.rate
  const reserved = Math.floor(count / 5)
  const ofOne = Math.max(smallestShare, Math.floor(count / 3))
  const isDivided = client !== null && ofOne < count - reserved
  const key = sha256Hex(`send-share:${kind}:${client}`)
  const share = isDivided ? { key, rate: { count: ofOne, perSeconds } } : null
  return { ...budget, reserved, share }
}
