import { type Clock, isOlder } from '../../platform/kit/clock.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { isError } from '../../platform/kit/is-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import {
  type Carrier,
  isCarrierDeferral,
  isCarrierRejection,
  type Sent,
} from '../carriers/carrier.ts'
import { type Carriers, type Channel, hookOfChannel, type Message } from './message.ts'
import { type OutboxRow, openBody } from './outbox-row.ts'
import type { DeliveryOutcome } from './settle-messages.sql.ts'

export interface DeliveryNeeds {
  clock: Clock
  roots: RootKeys
  carriers: Carriers
  logger: Logger
}

/**
 * Sends a claimed message by its carrier, and returns the result. Never throws.
 *
 * @param attemptMs the time limit of the carrier.
 */
export async function deliverMessage(
  needs: DeliveryNeeds,
  row: OutboxRow,
  attemptMs: number,
): Promise<DeliveryOutcome> {
  const outcome = await attempt(needs, row, attemptMs)
  if (outcome.status === 'sent' || isDeferred(outcome)) return outcome
  const { id, channel, kind, attempts } = row
  const fields = { message: { id, channel, kind, attempts }, ...outcome }
  needs.logger.warn(fields, outcome.status === 'failed' ? 'message given up' : 'message not sent')
  return outcome
}

const isDeferred = (outcome: DeliveryOutcome): boolean =>
  outcome.status === 'waiting' && outcome.isDeferred === true

async function attempt(
  needs: DeliveryNeeds,
  row: OutboxRow,
  attemptMs: number,
): Promise<DeliveryOutcome> {
  const now = needs.clock.now()
  if (row.expires_at !== null && new Date(row.expires_at) <= now) {
    return { status: 'failed', error: 'it expired before a carrier confirmed it' }
  }
  // No attempt recorded a result: a message that ends the process would be retried without end.
  if (row.attempts > maxAttempts) {
    return { status: 'failed', error: 'no attempt recorded its result' }
  }
  let body = ''
  try {
    const message = openBody(needs.roots, row)
    body = JSON.stringify(message.content)
    const sending = sendByCarrier(needs.carriers, message, row)
    const { carrierMessageId } = await withinTime(sending, attemptMs, tooSlow)
    return { status: 'sent', carrierMessageId }
  } catch (error) {
    return afterFailure(needs, row, error, body)
  }
}

const tooSlow = (): Error => new Error('the carrier exceeded its time limit')

async function sendByCarrier(
  carriers: Carriers,
  { channel, content }: Message,
  { id, created_at }: OutboxRow,
): Promise<Sent> {
  const carrier = carriers[channel] as Carrier<typeof content> | null
  if (!carrier) throw new Error(`no carrier is configured${missingHook(channel)}`)
  return carrier.send(content, { id, createdAt: new Date(created_at) })
}

/** Returns the hook that was configured when a message of the channel was stored. */
function missingHook(channel: Channel): string {
  const hook = Object.hasOwn(hookOfChannel, channel) ? hookOfChannel[channel] : null
  return hook === null ? '' : `: the hook ${hook} is not configured`
}

function afterFailure(
  { clock }: DeliveryNeeds,
  { attempts, created_at: createdAt }: OutboxRow,
  thrown: unknown,
  body: string,
): DeliveryOutcome {
  const error = describeFailure(thrown, body)
  const now = clock.now()
  if (isCarrierDeferral(thrown) && !isOlder(new Date(createdAt), maxDeferredMs, now)) {
    const nextAttemptAt = new Date(now.getTime() + thrown.pauseMs)
    return { status: 'waiting', error, nextAttemptAt, isDeferred: true }
  }
  const isHopeless = isCarrierRejection(thrown) && thrown.isFinal
  if (isHopeless || attempts >= maxAttempts) return { status: 'failed', error }
  return { status: 'waiting', error, nextAttemptAt: nextAttempt(attempts, now) }
}

/** The age from which the attempts of a message to a busy carrier count, too. */
const maxDeferredMs = 12 * 60 * 60 * 1000

/** The maximum number of attempts, over somewhat more than half a day. */
const maxAttempts = 100

const longestPauseMs = 10 * 60 * 1000

/**
 * Returns the time of the next attempt: after two seconds, four, eight, … up to ten minutes, each
 * plus up to a quarter at random, so that messages that failed together are not retried together.
 * Links are valid for an hour, so the mail should follow soon after the carrier recovers.
 *
 * @param attempts the number of attempts, including the last one.
 */
function nextAttempt(attempts: number, now: Date): Date {
  const pauseMs = Math.min(1000 * 2 ** attempts, longestPauseMs)
  return new Date(now.getTime() + pauseMs * (1 + Math.random() / 4))
}

const maxLength = 300

/**
 * Describes a carrier's failure for logs and storage. Functions of the application may throw any
 * value, so parts of the message are removed from the text: addresses, codes and links.
 *
 * @param body the message, as JSON; empty if it could not be read.
 */
export function describeFailure(error: unknown, body: string): string {
  if (!isError(error)) return 'unknown'
  const words = hideContent(textOr(error.message, ''), body)
  // A rejection contains no sensitive data, and its numbers, such as `451 4.7.1`, identify the
  // problem.
  const reason = isCarrierRejection(error) ? words : hideAddresses(words)
  return reason.slice(0, maxLength) || textOr(error.name, 'unknown')
}

/** An application's error may contain any text, such as another service's response. */
const textOr = (value: unknown, instead: string): string =>
  typeof value === 'string' ? value : instead

function hideContent(text: string, body: string): string {
  const hidden = secretsOf(body).filter((secret) => text.includes(secret))
  // The longest first: a link contains its secret, which may contain the code by chance.
  const longestFirst = hidden.toSorted((a, b) => b.length - a.length)
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

/** Returns the texts of a message that contain a digit or an `@`. */
function secretsOf(body: string): string[] {
  const secrets: string[] = []
  JSON.parse(body || 'null', (_key, value: unknown) => {
    if (typeof value === 'string' && value.length > 3 && /[\d@]/.test(value)) secrets.push(value)
  })
  return secrets
}
