import { isRecord } from '../kit/is-record.ts'
import { refusedByHook } from './hook-errors.ts'

/** What a hook says, as JSON has it. Empty where it has nothing to say. */
export type HookOutput = Readonly<Record<string, unknown>>

/** How asking a hook ended. */
export type HookOutcome =
  | { output: HookOutput }
  /** `isFinal`: it understood and said no, so that asking again is in vain. */
  | { error: unknown; isFinal: boolean }

/** Most that is told of a refusal: it may end up in the address of a page. */
const maxMessageLength = 1000

/** The hook's no, where its output says so: `{ error: { http_code, message } }`. */
export function readOutput(output: HookOutput): HookOutcome {
  const { error } = output
  const { http_code: code, message } = isRecord(error) ? error : {}
  if (typeof message !== 'string' || message === '') return { output }
  const status = isErrorStatus(code) ? code : 500
  const told = message.slice(0, maxMessageLength)
  return { error: refusedByHook(status, told), isFinal: isFinalStatus(status) }
}

/** Whether a status is one of an error. */
export const isErrorStatus = (code: unknown): code is number =>
  Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599

/** Too early, too slow, too often: statuses of the caller's fault that time heals. */
const passing = [408, 425, 429]

export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !passing.includes(status)
