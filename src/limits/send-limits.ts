import type { Rate } from '../platform/config/sections/values.ts'
import { type ClientNetwork, networksOf } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'

/**
 * What an interval between messages is counted for. Slots go by what was asked for, not by the message
 * that results: whether an address is known does not show.
 */
export type SendSlot = (typeof sendSlots)[number]

const sendSlots = [
  'sign-up',
  'sign-in',
  'email-change',
  'reauthentication',
  'credential',
  'sms',
] as const

/** The settings that these limits are made from. */
export interface SendSettings {
  email: { maxFrequencySeconds: number | null; autoconfirm: boolean }
  sms: { maxFrequencySeconds: number }
  rateLimits: { emailSent: Rate | null; smsSent: Rate | null }
}

/** The limits of one request for a message: an interval, and the budgets that clients share. */
export interface SendLimits {
  interval: Interval | null
  /**
   * The budget of requests that must not be distinguishable. It is spent whether or not a message leaves; null for
   * all other requests.
   */
  requests: Pick<Budget, 'key' | 'rate' | 'forNewClients'> | null
  /** The budget of messages. Where no message leaves, it is returned with the result of the request. */
  budget: Budget | null
}

/** What has to pass between two messages. */
export interface Interval {
  /** Null where only what all clients have together is counted. */
  key: string | null
  seconds: number
  /** What all clients together may ask for; null where the interval is one for them all anyway. */
  together: SharedInterval | null
}

/** Messages to one address within an interval. */
interface SharedInterval {
  key: string
  count: number
  seconds: number
  /** The part of them that the widest network of one client may take; null where the client is not known. */
  network: { key: string; count: number } | null
}

/** A budget that clients share, and the parts of it that the networks of one client may take. */
export interface Budget {
  key: string
  rate: Rate
  /** So many are left to others: for the mails of operators, or for second factors. */
  reserved: number
  /** So many are left to clients whose widest network has taken nothing yet. */
  forNewClients: number
  /** The parts of the client's networks, the widest first; none where the client is not known, or may take all. */
  shares: readonly Share[]
}

/** The part of a budget that one network may take. */
export interface Share {
  key: string
  rate: Rate
}

/** Nothing is counted, as for what goes to the development mailbox. */
export const unlimited: SendLimits = { interval: null, requests: null, budget: null }

/**
 * Whom a request to send is for: an address that anybody may ask for, or the user who is signed in. What goes to a
 * new address of theirs is counted among what all have sent there: it may be anybody's.
 */
export type SendSubject = { address: string } | { userId: string; newAddress: string | null }

/**
 * The limits of a request to send. No client takes more than a third of a budget and no network more than half; clients
 * leave a fifth to operators, and a fifth to clients that have taken nothing yet.
 *
 * @param client what limits per client are counted under; null where clients cannot be told apart.
 */
export const sendLimits = (
  settings: SendSettings,
  slot: SendSlot,
  subject: SendSubject,
  client: string | null,
): SendLimits => {
  const kind = slot === 'sms' ? 'sms' : 'email'
  const budget = sharedBudget(settings, kind, client)
  return {
    interval: intervalOf(settings, slot, subject, client),
    requests: budget && 'address' in subject ? requestBudget(kind, budget) : null,
    budget,
  }
}

/** What a message takes of what all may have sent to an address, where the request was counted for another one. */
export function targetLimits(settings: SendSettings, slot: SendSlot, address: string): SendLimits {
  const seconds = intervalSeconds(settings, slot)
  const shared = together(targetSlot(slot), address, seconds, null)
  return {
    ...unlimited,
    interval: seconds > 0 ? { key: null, seconds, together: shared } : null,
  }
}

/** In place of the address that a message goes to, where none does: alike, and nobody's share. */
export const noTarget = (askedFor: string): string => `none:${askedFor}`

/** What the mail of an operator takes: no interval, and one of the whole budget, with its reserve. */
export const operatorLimits = (settings: SendSettings): SendLimits => ({
  ...unlimited,
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
  return { ...unlimited, interval, budget: budget && { ...budget, reserved: 0 } }
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
    ...clients.flatMap((client) =>
      [slot, targetSlot(slot)].map((shared) => networkKey(shared, subject, client)),
    ),
  ])

const intervalKey = (slot: SendSlot, subject: string, client: string | null): string =>
  sha256Hex(JSON.stringify(['send', slot, subject, client]))

const togetherKey = (slot: SharedSlot, subject: string): string =>
  sha256Hex(JSON.stringify(['send', slot, subject]))

/** The key of what the widest network of a client has of an address. */
const networkKey = (slot: SharedSlot, subject: string, client: string): string =>
  sha256Hex(JSON.stringify(['send', slot, subject, 'network', widestNetwork(client)]))

const widestNetwork = (client: string): string => networksOf(client).at(-1)?.key ?? client

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
/** So many of them may be for one /48 or /24, which could otherwise use them up from four of its parts. */
const messagesOfNetwork = 2

const together = (
  slot: SharedSlot,
  address: string,
  seconds: number,
  client: string | null,
): SharedInterval => ({
  key: togetherKey(slot, address),
  count: messagesPerInterval,
  seconds,
  network:
    client === null ? null : { key: networkKey(slot, address, client), count: messagesOfNetwork },
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
    const shared =
      newAddress === null ? null : together(targetSlot(slot), newAddress, seconds, null)
    return { key: intervalKey(slot, userId, null), seconds, together: shared }
  }
  const key = intervalKey(slot, subject.address, client)
  return { key, seconds, together: together(slot, subject.address, seconds, client) }
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
    : { key: `send-budget:${kind}`, rate, reserved: 0, forNewClients: 0, shares: [] }
}

/** What one person needs within the hour: a confirmation, another one, a forgotten password. */
const smallestShare = 3

/**
 * So many requests, as a multiple of the messages, may be for addresses to which no message leaves. They cost no message,
 * so the budget is large: one network has half of the messages, and so a twentieth of the requests.
 */
const requestsPerMessage = 10

const requestBudget = (
  kind: 'email' | 'sms',
  { rate, forNewClients }: Budget,
): SendLimits['requests'] => ({
  key: `send-requests:${kind}`,
  rate: { ...rate, count: rate.count * requestsPerMessage },
  forNewClients: forNewClients * requestsPerMessage,
})

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
  if (client === null || ofOne >= count - reserved) return { ...budget, reserved }
  const ofNetwork = Math.max(ofOne, Math.floor(count / 2))
  const keyOf = (network: string) => sha256Hex(`send-share:${kind}:${network}`)
  return {
    ...budget,
    reserved,
    forNewClients: reserved,
    shares: sharesOf(client, { ofOne, ofNetwork, perSeconds, keyOf }),
  }
}

interface Division {
  /** The part of the narrowest network, such as an IPv4 address. */
  ofOne: number
  /** The part of the widest network, such as a /24. */
  ofNetwork: number
  perSeconds: number
  keyOf(network: string): string
}

/** The parts that the networks of a client may take of what clients share, the widest first. */
export function sharesOf(
  client: string,
  { ofOne, ofNetwork, perSeconds, keyOf }: Division,
): Share[] {
  const networks = networksOf(client)
  const widest = Math.max(1, networks.length - 1)
  const share = ({ key }: ClientNetwork, level: number): Share => ({
    key: keyOf(key),
    rate: { count: ofOne + Math.floor(((ofNetwork - ofOne) * level) / widest), perSeconds },
  })
  return networks.map(share).reverse()
}
