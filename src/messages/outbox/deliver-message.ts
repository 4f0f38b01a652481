import type { Clock } from '../../kit/clock.ts'
import type { RootKeys } from '../../kit/derived-keys.ts'
import type { Logger } from '../../observability/logger.ts'
import { type Carrier, isCarrierRefusal, type Sent } from '../carrier.ts'
import type { Carriers, Message } from './message.ts'
import { type OutboxRow, openBody } from './outbox-row.ts'
import type { Outcome } from './settle-message.sql.ts'

interface Needs {
  clock: Clock
  roots: RootKeys
  carriers: Carriers
  logger: Logger
}

/** The most that one attempt may take. It ends well before the lease of the message does. */
const attemptMs = 45_000

const maxAttempts = 25
const longestPauseMs = 60 * 60 * 1000

/** Hands a claimed message to its carrier, and says what came of it. Never throws. */
export async function deliverMessage(needs: Needs, row: OutboxRow): Promise<Outcome> {
  const { clock, logger } = needs
  if (row.expires_at !== null && new Date(row.expires_at) <= clock.now()) {
    return { status: 'failed', error: 'it expired before a carrier took it' }
  }
  try {
    const { carrierMessageId } = await inTime(send(needs, row))
    return { status: 'sent', carrierMessageId }
  } catch (error) {
    const outcome = afterFailure(row, error, clock.now())
    const { id, channel, kind, attempts } = row
    logger.warn({ message: { id, channel, kind, attempts }, ...outcome }, 'message not sent')
    return outcome
  }
}

async function send({ roots, carriers }: Needs, row: OutboxRow): Promise<Sent> {
  const { body } = row
  if (body === null) throw new Error('the message has no body')
  const delivery = { id: row.id, createdAt: new Date(row.created_at) }
  return handOver(carriers, openBody(roots, { ...row, body }), (carrier, content) =>
    carrier.send(content, delivery),
  )
}

function handOver(
  carriers: Carriers,
  { channel, content }: Message,
  send: <Content>(carrier: Carrier<Content>, content: Content) => Promise<Sent>,
): Promise<Sent> {
  const carrier = carriers[channel] as Carrier<typeof content> | null
  if (!carrier) throw new Error('no carrier is configured')
  return send(carrier, content)
}

async function inTime(sending: Promise<Sent>): Promise<Sent> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the carrier did not answer in time')), attemptMs)
  })
  try {
    return await Promise.race([sending, late])
  } finally {
    clearTimeout(timer)
  }
}

function afterFailure({ attempts }: OutboxRow, error: unknown, now: Date): Outcome {
  const reason = error instanceof Error ? error.message : 'unknown'
  const isHopeless = isCarrierRefusal(error) && error.isFinal
  if (isHopeless || attempts >= maxAttempts) return { status: 'failed', error: reason }
  return { status: 'waiting', error: reason, nextAttemptAt: nextAttempt(attempts, now) }
}

/** Two seconds, four, eight, … up to an hour, each a little later so that not all come at once. */
function nextAttempt(attempts: number, now: Date): Date {
  const pauseMs = Math.min(1000 * 2 ** attempts, longestPauseMs)
  return new Date(now.getTime() + pauseMs * (1 + Math.random() / 4))
}
