import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { answerFault } from './hook-answers.ts'
import { hookFailed, refusedByHook } from './hook-errors.ts'

/** The JSON that a hook receives or returns. Empty where it returns nothing. */
export type HookOutput = Readonly<Record<string, unknown>>

/** The payload of one call, and the hook point that its answer is read for. */
export interface PayloadOfHook {
  point: HookPoint
  payload: HookOutput
}

/** How asking a hook ended. */
export type HookOutcome =
  | { output: HookOutput }
  /** `isFinal`: the hook refused, so another attempt returns the same. */
  | { error: unknown; isFinal: boolean }

/** Longest text of a refusal: it may become part of the address of a page. */
const maxMessageLength = 1000

const defaultMessage = 'The request was rejected by a hook'

/**
 * Reads the answer of a hook by the grammar of its point. Any `error` other than null is a refusal, in whatever
 * form: `{ error: { http_code, message } }`. Anything else that the grammar does not contain is a fault.
 *
 * @param answer null or undefined for a hook that returned nothing.
 */
export function readOutput(point: HookPoint, answer: unknown): HookOutcome {
  if (answer === undefined || answer === null) return { output: {} }
  // An instance of a class, such as an error or a response, has no members of JSON.
  if (!isRecord(answer) || !isPlain(answer)) return fault('Error unmarshaling JSON output.')
  const { error } = answer
  if (error !== undefined && error !== null) return refusalBy(error)
  const wrong = answerFault(point, answer)
  return wrong === null ? { output: answer } : fault(wrong)
}

const fault = (message: string): HookOutcome => ({ error: hookFailed(message), isFinal: true })

function isPlain(answer: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(answer)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function refusalBy(error: unknown): HookOutcome {
  const { http_code: code, message = error } = isRecord(error) ? error : { message: error }
  const status = isErrorStatus(code) ? code : 500
  const text = typeof message === 'string' && message !== '' ? message : defaultMessage
  const refusal = refusedByHook(status, text.slice(0, maxMessageLength))
  return { error: refusal, isFinal: isFinalStatus(status) }
}

/** Whether a status is one of an error. */
export const isErrorStatus = (code: unknown): code is number =>
  Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599

/** Too early, too slow, too often: statuses of the caller's fault that time heals. */
const passing = [408, 425, 429]

export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !passing.includes(status)
