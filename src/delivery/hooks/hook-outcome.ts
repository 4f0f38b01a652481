import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { answerFault } from './hook-answers.ts'
import { hookFailed, rejectedByHook } from './hook-errors.ts'

/** The JSON that a hook receives or returns; empty if it returns nothing. */
export type HookOutput = Readonly<Record<string, unknown>>

/** The payload of one call, and the hook point that determines its response. */
export interface PayloadOfHook {
  point: HookPoint
  payload: HookOutput
}

/** The result of a hook call. */
export type HookOutcome =
  | { output: HookOutput }
  /** `isFinal`: the hook rejected it, so another attempt would have the same result. */
  | { error: unknown; isFinal: boolean }

/** The maximum length of a rejection's message, which may become part of a page's URL. */
const maxMessageLength = 1000

const defaultMessage = 'The request was rejected by a hook'

/**
 * Reads the response of a hook by the grammar of its point. Any `error` other than null is a
 * rejection, in any form: `{ error: { http_code, message } }`. Other values outside the grammar are
 * a fault.
 *
 * @param answer null or undefined for a hook that returned nothing.
 */
export function readOutput(point: HookPoint, answer: unknown): HookOutcome {
  if (answer === undefined || answer === null) return { output: {} }
  // An instance of a class, such as an error or a response, has no JSON members.
  if (!isRecord(answer) || !isPlain(answer)) return fault('Error unmarshaling JSON output.')
  const { error } = answer
  if (error !== undefined && error !== null) return rejectionBy(error)
  const wrong = answerFault(point, answer)
  return wrong === null ? { output: answer } : fault(wrong)
}

const fault = (message: string): HookOutcome => ({ error: hookFailed(message), isFinal: true })

function isPlain(answer: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(answer)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function rejectionBy(error: unknown): HookOutcome {
  const { http_code: code, message = error } = isRecord(error) ? error : { message: error }
  const status = isErrorStatus(code) ? code : 500
  const text = typeof message === 'string' && message !== '' ? message : defaultMessage
  const rejection = rejectedByHook(status, text.slice(0, maxMessageLength))
  return { error: rejection, isFinal: isFinalStatus(status) }
}

/** Reports whether a status is an error status. */
export const isErrorStatus = (code: unknown): code is number =>
  Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599

/** Temporary client errors: too early, too slow, too many requests. */
const passing = [408, 425, 429]

export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !passing.includes(status)
