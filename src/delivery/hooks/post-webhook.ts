import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../platform/kit/clock.ts'
import { type FetchAnswer, safeFetch } from '../../platform/kit/safe-fetch.ts'
import { type FetchFailure, isFetchFailure } from '../../platform/kit/url-trust.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'

export interface Webhook {
  uri: string
  secrets: readonly string[]
  /** Stays the same at each attempt, so that the receiver recognizes a repetition. */
  id: string
  body: string
}

export interface WebhookNeeds {
  clock: Clock
  /** The limit for all attempts together. */
  timeoutMs: number
  /** The pause after the hook was unreachable. */
  pauseMs: number
  /** Names the running span to the receiver. @see W3C Trace Context §3 */
  telemetry?: Pick<Telemetry, 'headers'> | null | undefined
}

/** The maximum size of a response. */
export const maxAnswerBytes = 200 * 1024

const maxAttempts = 3

/**
 * Posts a signed request, and repeats it up to twice: after a pause if the hook was unreachable, at
 * once if the response is 429 or 503 with `Retry-After`.
 *
 * @throws FetchFailure
 */
export async function postWebhook(needs: WebhookNeeds, webhook: Webhook): Promise<FetchAnswer> {
  const endsAt = performance.now() + needs.timeoutMs
  for (let attempt = 1; ; attempt += 1) {
    const timeoutMs = Math.max(endsAt - performance.now(), 1)
    const answer = await postOnce(needs, webhook, timeoutMs).catch(unlessUnreachable)
    const isLast = attempt === maxAttempts
    if (!isFetchFailure(answer)) {
      if (isLast || !requestsRetry(answer)) return answer
    } else {
      if (isLast || performance.now() + needs.pauseMs >= endsAt) throw answer
      await pause(needs.pauseMs)
    }
  }
}

const postOnce = (
  { clock, telemetry }: WebhookNeeds,
  { uri, secrets, id, body }: Webhook,
  timeoutMs: number,
) => {
  const timestamp = Math.floor(clock.now().getTime() / 1000)
  return safeFetch(uri, {
    trust: 'operator',
    method: 'POST',
    headers: {
      ...telemetry?.headers(),
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secrets, { id, timestamp, body }),
    },
    body,
    timeoutMs: Math.ceil(timeoutMs),
    maxBytes: maxAnswerBytes,
  })
}

const requestsRetry = ({ status, headers }: FetchAnswer): boolean =>
  (status === 429 || status === 503) && Boolean(headers['retry-after'])

function unlessUnreachable(error: unknown): FetchFailure {
  if (isFetchFailure(error) && error.reason === 'unreachable') return error
  throw error
}

export interface SignedContent {
  /** `webhook-id` */
  id: string
  /** `webhook-timestamp`, in seconds. */
  timestamp: number
  body: string
}

/**
 * Signs a request with each secret: `v1,whsec_…` by HMAC, `v1a,whpk_…:whsk_…` by Ed25519. The
 * receiver needs one of them, so that a secret can be replaced without interruption.
 *
 * @returns the value of `webhook-signature`; empty without secrets.
 * @see https://www.standardwebhooks.com
 */
function signWebhook(secrets: readonly string[], content: SignedContent): string {
  const signed = `${content.id}.${content.timestamp}.${content.body}`
  return secrets.map((secret) => signWith(secret, signed)).join(' ')
}

function signWith(secret: string, signed: string): string {
  const [, privateKey] = /:whsk_(.+)$/.exec(secret) ?? []
  if (privateKey !== undefined) {
    return `v1a,${sign(null, Buffer.from(signed), readEd25519(privateKey)).toString('base64')}`
  }
  const key = Buffer.from(secret.replace(/^v1,whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8. @see RFC 8410 §7 */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Some tools append the public half to the private one. */
function readEd25519(base64: string): KeyObject {
  const seed = Buffer.from(base64, 'base64').subarray(0, 32)
  return createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  })
}
