import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer } from '../../platform/kit/safe-fetch.ts'
import { isFetchFailure } from '../../platform/kit/url-trust.ts'
import {
  hookAnswerOfWrongType,
  hookAnswerTooLarge,
  hookFailed,
  hookTimeout,
  hookUnreachable,
} from './hook-errors.ts'
import { type HookOutcome, isFinalStatus, readOutput } from './hook-outcome.ts'
import { maxAnswerBytes, postWebhook, type Webhook, type WebhookNeeds } from './post-webhook.ts'

/** Calls a hook over HTTP. */
export async function callHttpHook(
  needs: WebhookNeeds,
  point: HookPoint,
  webhook: Webhook,
): Promise<HookOutcome> {
  try {
    return readAnswer(point, await postWebhook(needs, webhook))
  } catch (error) {
    return { error: toHookError(error, needs.timeoutMs), isFinal: isTooLarge(error) }
  }
}

function readAnswer(point: HookPoint, { status, headers, text }: FetchAnswer): HookOutcome {
  if (status === 204) return { output: {} }
  if (status !== 200 && status !== 202) {
    const isFinal = isFinalStatus(status) && !correctableStatuses.includes(status)
    return { error: hookFailed(failureOf(status)), isFinal }
  }
  if (!isJson(headers['content-type'])) return invalidResponse(hookAnswerOfWrongType())
  const output = parse(text)
  return isRecord(output)
    ? readOutput(point, output)
    : invalidResponse(hookFailed('Error unmarshaling JSON output.'))
}

/**
 * Returns a final error for a successful status with an invalid body. A retry would repeat the
 * hook's action, such as sending a mail.
 */
const invalidResponse = (error: AuthError): HookOutcome => ({ error, isFinal: true })

/** Statuses that the operator can correct: a secret, an address or a route. */
const correctableStatuses = [401, 403, 404]

function failureOf(status: number): string {
  if (status === 400) return 'Invalid payload sent to hook'
  if (status === 401) return 'Hook requires authorization token'
  if (status === 429 || status === 503) return 'Service currently unavailable due to hook'
  return `Unexpected status code returned from hook: ${status}`
}

const isTooLarge = (error: unknown) => isFetchFailure(error) && error.reason === 'too-large'

/** Converts expected errors. Faults, such as an invalid secret, are kept. */
function toHookError(error: unknown, timeoutMs: number): unknown {
  if (!isFetchFailure(error)) return error
  if (error.reason === 'timed-out') return hookTimeout(timeoutMs / 1000)
  if (error.reason === 'unreachable') return hookUnreachable(error)
  if (error.reason === 'too-large') return hookAnswerTooLarge(maxAnswerBytes)
  return hookFailed(`Error running hook: ${error.message}`)
}

const isJson = (contentType = ''): boolean =>
  contentType.split(';')[0]?.trim().toLowerCase() === 'application/json'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
