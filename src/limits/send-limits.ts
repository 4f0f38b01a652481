import type { Rate } from '../platform/config/sections/values.ts'
import { type ClientNetwork, networksOf } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'

/**
 * The purpose that a send interval is counted for. It depends on the request, not on the resulting
 * message, so it does not reveal whether an address is known.
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

/** The settings of these limits. */
export interface SendSettings {
  email: { maxFrequencySeconds: number | null; autoconfirm: boolean }
  sms: { maxFrequencySeconds: number }
  rateLimits: { emailSent: Rate | null; smsSent: Rate | null }
}

/** The limits of one request for a message: an interval, and the budgets that clients share. */
export interface SendLimits {
  interval: Interval | null
  /**
   * The budget of requests whose responses must not reveal whether an address is known. It is spent
   * whether or not a message is sent; null for all other requests.
   */
  requests: Pick<Budget, 'key' | 'rate' | 'forNewClients'> | null
  /**
   * The budget of messages. Where no message is sent, it is returned with the result of the
   * request.
   */
  budget: Budget | null
}

/** The minimum time between two messages. */
export interface Interval {
  /** Null where only the shared interval of all clients is counted. */
  key: string | null
  seconds: number
  /** The limit of all clients together; null where the interval does not depend on the client. */
  shared: SharedInterval | null
}

/** The messages to one address within an interval. */
interface SharedInterval {
  key: string
  count: number
  seconds: number
  /** The part that the widest network of one client may take; null where the client is unknown. */
  network: { key: string; count: number } | null
}

/** A budget that clients share, and the parts of it that the networks of one client may take. */
export interface Budget {
  key: string
  rate: Rate
  /** The number that is reserved: for mails of operators, or for second factors. */
  reserved: number
  /** The number that is reserved for clients whose widest network has taken nothing yet. */
  forNewClients: number
  /**
   * The parts of the client's networks, the widest first; empty where the client is unknown or may
   * take all of the budget.
   */
  shares: readonly Share[]
}

/** The part of a budget that one network may take. */
export interface Share {
  key: string
  rate: Rate
}

/** The channels of codes of second factors, whose intervals are counted by user. */
const factorSlots = ['factor-email', 'factor-sms'] as const

/** No limits, as for messages to the development mailbox. */
export const unlimited: SendLimits = { interval: null, requests: null, budget: null }

/**
 * The subject of a request to send: an address from an unauthenticated request, or the signed-in
 * user. A message to a new address of the user is counted with all messages to that address, since
 * it may belong to another user.
 */
export type SendSubject = { address: string } | { userId: string; newAddress: string | null }

/**
 * Returns the limits of a request to send. A client takes at most a third of a budget, a network at
 * most half. A fifth is reserved for operators, and a fifth for clients that have taken nothing
 * yet.
 *
 * @param client the key that limits per client are counted under; null where clients cannot be
 *   distinguished.
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

/**
 * Returns the shared limit of the address that receives the message, where the request was counted
 * for another address.
 */
export function targetLimits(settings: SendSettings, slot: SendSlot, address: string): SendLimits {
  const seconds = intervalSeconds(settings, slot)
  const shared = sharedInterval(targetSlot(slot), address, seconds, null)
  return {
    ...unlimited,
    interval: seconds > 0 ? { key: null, seconds, shared } : null,
  }
}

/**
 * Replaces the target address where no message is sent. It is counted in the same way, and takes no
 * user's share.
 */
export const noTarget = (requested: string): string => `none:${requested}`

/** The limits of an operator's mail: no interval, and the whole budget with its reserve. */
export const operatorLimits = (settings: SendSettings): SendLimits => ({
  ...unlimited,
  budget: wholeBudget(settings, 'email'),
})

/**
 * The limits of a second factor's code. The code of a verified factor may use the reserve, but no
 * client takes more than its share. Any new account can enroll a factor, so the code of an
 * unverified one may not.
 */
export const factorLimits = (
  settings: SendSettings,
  carrier: 'email' | 'sms',
  { interval, isVerified }: { interval: SendLimits['interval']; isVerified: boolean },
  client: string | null,
): SendLimits => {
  // With autoconfirm, too, a mail is sent to an address that is not confirmed.
  const email = { ...settings.email, autoconfirm: false }
  const budget = sharedBudget({ ...settings, email }, carrier, client)
  const mayUseReserve = budget && isVerified
  return { ...unlimited, interval, budget: mayUseReserve ? { ...budget, reserved: 0 } : budget }
}

/**
 * Returns the interval of codes that one carrier takes to a user, for all factors together. Each
 * client has its own: others who passed the first factor do not keep codes from the owner.
 */
export const factorInterval = (
  carrier: 'email' | 'sms',
  userId: string,
  seconds: number,
  client: string | null,
): SendLimits['interval'] =>
  seconds > 0 ? intervalOfClient(`factor-${carrier}`, userId, seconds, client) : null

const intervalOfClient = (
  slot: Slot,
  subject: string,
  seconds: number,
  client: string | null,
): Interval => ({
  key: intervalKey(slot, subject, client),
  seconds,
  shared: sharedInterval(slot, subject, seconds, client),
})

/**
 * Returns the keys that all intervals of an address or user are counted under.
 *
 * @param clients the keys of clients that may have sent requests.
 */
export const intervalKeys = (subject: string, clients: readonly string[]): string[] =>
  [...sendSlots, ...factorSlots].flatMap((slot) => [
    sharedKey(slot, subject),
    sharedKey(targetSlot(slot), subject),
    sharedKey(targetSlot(slot), noTarget(subject)),
    ...[null, ...clients].map((client) => intervalKey(slot, subject, client)),
    ...clients.flatMap((client) =>
      [slot, targetSlot(slot)].map((shared) => networkKey(shared, subject, client)),
    ),
  ])

const intervalKey = (slot: Slot, subject: string, client: string | null): string =>
  sha256Hex(JSON.stringify(['send', slot, subject, client]))

const sharedKey = (slot: SharedSlot, subject: string): string =>
  sha256Hex(JSON.stringify(['send', slot, subject]))

/** The key for the part of an address's messages that the widest network of a client may take. */
const networkKey = (slot: SharedSlot, subject: string, client: string): string =>
  sha256Hex(JSON.stringify(['send', slot, subject, 'network', widestNetwork(client)]))

const widestNetwork = (client: string): string => networksOf(client).at(-1)?.key ?? client

/** The slots of the limits that all clients share. */
type SharedSlot = Slot | 'sms-change'

type Slot = SendSlot | (typeof factorSlots)[number]

/**
 * The shared slot of a phone number that a signed-in user enters. It differs from the slot of
 * sign-ins: the interval of a signed-in user is counted by account, so a client with four accounts
 * could prevent all codes to the owner of the number.
 */
const targetSlot = (slot: Slot): SharedSlot => (slot === 'sms' ? 'sms-change' : slot)

/**
 * The messages to an address within an interval, from all clients together. A client waits for its
 * own messages only, so other clients in up to three networks cannot prevent a message to the
 * owner. Still a mailbox is not flooded, whatever the number of networks.
 */
const messagesPerInterval = 4
/** The messages that one /48 or /24 may request: four of its subnets could use up all of them. */
const messagesOfNetwork = 2

const sharedInterval = (
  slot: SharedSlot,
  address: string,
  seconds: number,
  client: string | null,
): SharedInterval => ({
  key: sharedKey(slot, address),
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
      newAddress === null ? null : sharedInterval(targetSlot(slot), newAddress, seconds, null)
    return { key: intervalKey(slot, userId, null), seconds, shared }
  }
  return intervalOfClient(slot, subject.address, seconds, client)
}

function intervalSeconds({ email, sms }: SendSettings, slot: SendSlot): number {
  if (slot === 'sms') return sms.maxFrequencySeconds
  return email.maxFrequencySeconds ?? (slot === 'sign-up' ? 900 : 60)
}

/**
 * Returns the key of a budget. It contains the limit: a changed limit begins with a full budget.
 * The rest of a small budget would be below the reserve of a large one for many minutes.
 */
const budgetKey = (purpose: 'budget' | 'requests', kind: 'email' | 'sms', rate: Rate): string =>
  `send-${purpose}:${kind}:${rate.count}/${rate.perSeconds}`

/**
 * Returns the budget of a kind of message. With `email.autoconfirm` few mails are sent, and the
 * wire has no budget except zero. An SMS has its cost in any case.
 */
function wholeBudget({ email, rateLimits }: SendSettings, kind: 'email' | 'sms'): Budget | null {
  const rate = kind === 'email' ? rateLimits.emailSent : rateLimits.smsSent
  const isLifted = kind === 'email' && email.autoconfirm && rate !== null && rate.count > 0
  return rate === null || isLifted
    ? null
    : {
        key: budgetKey('budget', kind, rate),
        rate,
        reserved: 0,
        forNewClients: 0,
        shares: [],
      }
}

/** The requests that one user needs within an hour: a confirmation, a second one, a recovery. */
const smallestShare = 3

/**
 * The number of requests per message for addresses to which no message is sent. These requests cost
 * nothing, so the budget is large. A network may take half of the messages, and so a twentieth of
 * the requests.
 */
const requestsPerMessage = 10

const requestBudget = (
  kind: 'email' | 'sms',
  { rate, forNewClients }: Budget,
): SendLimits['requests'] => ({
  key: budgetKey('requests', kind, rate),
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

/**
 * Returns the parts of a shared budget that the networks of a client may take, the widest first.
 */
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
