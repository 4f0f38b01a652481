import type { HookPoint } from '../../platform/config/sections/hooks.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
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
  /**
   * `isFinal`: another attempt would have the same result. `isRejection`: the hook rejected the
   * request. Otherwise the hook failed.
   */
  | { error: unknown; isFinal: boolean; isRejection?: boolean }

/** The maximum length of a rejection's message, which may become part of a page's URL. */
const maxMessageLength = 1000

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
  return wrong === null ? { output: answer } : fault(wrong.message, wrong.detail)
}

/** @param detail for the log. Clients receive the message only. */
const fault = (message: string, detail?: string): HookOutcome => ({
  error: hookFailed(message, detail === undefined ? undefined : new TypeError(detail)),
  isFinal: true,
})

function isPlain(answer: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(answer)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function rejectionBy(error: unknown): HookOutcome {
  const { http_code: code, message = error } = isRecord(error) ? error : { message: error }
  const status = isErrorStatus(code) ? code : 500
  const text =
    typeof message === 'string' && message !== '' ? message.slice(0, maxMessageLength) : null
  const rejection = rejectedByHook(status, text)
  return { error: rejection, isFinal: isFinalStatus(status), isRejection: true }
}

/** Reports whether a status is an error status. */
export const isErrorStatus = (code: unknown): code is number =>
  Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599

/** Temporary client errors: too early, too slow, too many requests. */
const passing = [408, 425, 429]

export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !passing.includes(status)

type Check = (value: unknown) => boolean
type Grammar = Readonly<Record<string, Check>>

const isText: Check = (value) => typeof value === 'string'
const isAny: Check = () => true

const decision: Grammar = {
  decision: (value) => value === 'continue' || value === 'reject',
  message: isText,
}

/**
 * The permitted members of each protecting hook's response, in addition to `error`. A response with
 * a misspelled member or another type must not count as approval. Hooks that deliver messages or
 * receive events protect nothing: further members are ignored.
 */
const answers: Readonly<Partial<Record<HookPoint, Grammar>>> = {
  beforeUserCreated: {},
  mfaVerificationAttempt: decision,
  passwordVerificationAttempt: {
    ...decision,
    should_logout_user: (value) => typeof value === 'boolean',
  },
  // Database functions commonly change the claims of their event, and return the event.
  customAccessToken: {
    claims: isRecord,
    metadata: isAny,
    user_id: isAny,
    authentication_method: isAny,
  },
}

/** An error in a response: the message of the error, and a detail for the log. */
interface AnswerFault {
  message: string
  detail?: string
}

/**
 * Returns the error in a response; null if it conforms to the grammar. A null member counts as
 * absent.
 */
function answerFault(
  point: HookPoint,
  answer: Readonly<Record<string, unknown>>,
): AnswerFault | null {
  const grammar = answers[point]
  if (grammar === undefined) return null
  const members = Object.keys(answer).filter(
    (name) => name !== 'error' && answer[name] !== undefined,
  )
  const unknown = members.filter((name) => !Object.hasOwn(grammar, name))
  if (unknown.length > 0) {
    const detail = `${point} returned ${namesOf(unknown)}. It may return ${namesOf(['error', ...Object.keys(grammar)])}`
    return { message: 'output has an unknown member', detail }
  }
  const given = members.filter((name) => answer[name] !== null)
  const wrong = given.find((name) => !grammar[name]?.(answer[name]))
  if (wrong === 'decision') return { message: 'output decision must be "continue" or "reject"' }
  if (wrong !== undefined) return { message: `output ${wrong} is of the wrong type` }
  // A hook with a decision may also return nothing.
  const decides = 'decision' in grammar && members.length > 0
  return decides && !given.includes('decision') ? { message: 'output decision is missing' } : null
}

/** At most 10 names, each of at most 50 characters, since the hook determines them. */
const namesOf = (names: readonly string[]): string =>
  names
    .slice(0, 10)
    .map((name) => JSON.stringify(name.slice(0, 50)))
    .join(', ')
