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

/** What one request to send takes: an interval, and one of the service's budget. */
export interface SendLimits {
  interval: Interval | null
  budget: Budget | null
}

/** What has to pass between two messages. */
export interface Interval {
  /** Null where only what all clients have together is counted. */
  key: string | null
  seconds: number
  /** What all clients together may ask for; null where the interval is one for them all anyway. */
  together: { key: string; count: number; seconds: number } | null
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
 * Whom a request to send is for: an address that anybody may ask for, or the user who is signed in. What goes to a
 * new address of theirs is counted among what all have sent there: it may be anybody's.
 */
export type SendSubject = { address: string } | { userId: string; newAddress: string | null }

/**
 * The limits of a request to send. No client takes more than a third of a budget, and all together leave a
 * fifth of it.
 *
 * @param client what limits per client are counted under; null where clients cannot be told apart.
 */
export const sendLimits = (
  settings: SendSettings,
  slot: SendSlot,
  subject: SendSubject,
  client: string | null,
): SendLimits => ({
  interval: intervalOf(settings, slot, subject, client),
  budget: sharedBudget(settings, slot === 'sms' ? 'sms' : 'email', client),
})

/** What a message takes of what all may have sent to an address, where the request was counted for another one. */
export function targetLimits(settings: SendSettings, slot: SendSlot, address: string): SendLimits {
  const seconds = intervalSeconds(settings, slot)
  const interval = { key: null, seconds, together: together(targetSlot(slot), address, seconds) }
  return { interval: seconds > 0 ? interval : null, budget: null }
}

/** In place of the address that a message goes to, where none does: alike, and nobody's share. */
export const noTarget = (askedFor: string): string => `none:${askedFor}`

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

/**
 * Under what all intervals of an address or user are counted.
 *
 * @param clients that may have asked.
 */
export const intervalKeys = (subject: string, clients: readonly string[]): string[] =>
  sendSlots.flatMap((slot) => [
    togetherKey(slot, subject),
    togetherKey(targetSlot(slot), subject),
    togetherKey(targetSlot(slot), noTarget(subject)),
    ...[null, ...clients].map((client) => intervalKey(slot, subject, client)),
  ])

const intervalKey = (slot: SendSlot, subject: string, client: string | null): string =>
  sha256Hex(JSON.stringify(['send', slot, subject, client]))

const togetherKey = (slot: SharedSlot, subject: string): string =>
  sha256Hex(JSON.stringify(['send', slot, subject]))

/** What all clients share of an address. */
type SharedSlot = SendSlot | 'sms-change'

/**
 * What is shared of an address that a signed-in user names. It is none that a sign-in takes of: such a user waits by
 * account, so one client with four accounts would keep the owner of a number from being sent a code.
 */
const targetSlot = (slot: SendSlot): SharedSlot => (slot === 'sms' ? 'sms-change' : slot)

/**
 * Messages to an address within an interval, whoever asks. Clients wait for their own messages alone, so a
 * stranger in one network, or in three, keeps nobody from being sent one; and yet a mailbox is not flooded,
 * however many networks somebody asks from.
 */
const messagesPerInterval = 4

const together = (
  slot: SharedSlot,
  address: string,
  seconds: number,
): NonNullable<Interval['together']> => ({
  key: togetherKey(slot, address),
  count: messagesPerInterval,
  seconds,
})

function intervalOf(
  settings: SendSettings,
  slot: SendSlot,
  subject: SendSubject,
  client: string | null,
): Interval | null {
  const seconds = intervalSeconds(settings, slot)
  if (seconds <= 0) return null
  if ('userId' in subject) {
    const { userId, newAddress } = subject
    const shared = newAddress === null ? null : together(targetSlot(slot), newAddress, seconds)
    return { key: intervalKey(slot, userId, null), seconds, together: shared }
  }
  const key = intervalKey(slot, subject.address, client)
  return { key, seconds, together: together(slot, subject.address, seconds) }
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
