import type { HookPoint, ResolvedHook } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { OutgoingQueue } from '../../platform/kit/outgoing-queue.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { noteLogged } from '../../platform/observability/logged-faults.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import {
  errorTypeOf,
  secondsSince,
  type Telemetry,
} from '../../platform/observability/telemetry.ts'
import { callDatabaseHook, functionOf, type HookDatabase } from './call-database-hook.ts'
import { callFunctionHook } from './call-function-hook.ts'
import { callHttpHook } from './call-http-hook.ts'
import type { DatabaseHookSemaphore } from './database-hook-semaphore.ts'
import type { HookOutcome, HookOutput } from './hook-outcome.ts'

/** The names of hooks in `metadata.name`. */
export const hookNames = {
  customAccessToken: 'customize-access-token',
  mfaVerificationAttempt: 'mfa-verification',
  passwordVerificationAttempt: 'password-verification',
  sendEmail: 'send-email',
  sendSms: 'send-sms',
  beforeUserCreated: 'before-user-created',
  afterUserCreated: 'after-user-created',
  events: 'events',
} as const satisfies Record<HookPoint, string>

export interface HookCall {
  point: HookPoint
  /** The payload in wire form; `metadata` is added. */
  payload: HookOutput
  /** A UUID: `metadata.uuid` and `webhook-id`. A repeated call has the same id. */
  id: string
  /** The time of the event. */
  at: Date
  /** The client's address, if it is known. */
  ip: string | null
}

/** The components that a call uses. */
export interface HookRequestNeeds {
  clock: Clock
  database: HookDatabase
  /** The time limit for all attempts together. Default 5,000. */
  hookTimeoutMs?: number
  /** The pause before another attempt if the hook was unreachable. Default 2,000. */
  hookPauseMs?: number
  telemetry?: Telemetry | null
  /** Limits HTTP hooks that requests of clients cause. */
  hookQueue?: OutgoingQueue
  /** Limits the connections that functions of the database occupy. */
  databaseHookSemaphore?: DatabaseHookSemaphore
}

export interface HookNeeds extends HookRequestNeeds {
  logger: Logger
  /** The request that causes the call. */
  request: { id: string }
}

/**
 * Calls a hook and returns its response. A failure is logged, a rejection by the hook is not.
 *
 * @throws AuthError of the hook, or `hook_timeout`, `hook_timeout_after_retry`,
 *   `hook_payload_over_size_limit`, `hook_payload_invalid_content_type`, or `unexpected_failure`
 *   (500) if the hook fails.
 */
export async function callHook(
  needs: HookNeeds,
  hook: ResolvedHook,
  call: HookCall,
): Promise<HookOutput> {
  const outcome = await requestHook(needs, hook, call)
  if (!('error' in outcome)) return outcome.output
  if (!outcome.isRejection) logHookFailure(needs, call.point, outcome.error)
  throw outcome.error
}

/**
 * Logs the failure of a hook once: the response to it does not log it again. A failure with a
 * status of 500 or more is an error, as a fault of the service is.
 */
export function logHookFailure(
  { logger, request }: Pick<HookNeeds, 'logger' | 'request'>,
  point: HookPoint,
  error: unknown,
): void {
  const fields = { requestId: request.id, hook: hookNames[point], fault: describeFault(error) }
  const isFault = !(error instanceof AuthError) || error.status >= 500
  logger[isFault ? 'error' : 'warn'](fields, 'hook failed')
  noteLogged(error)
}

/**
 * Calls a hook like {@link callHook}, and returns a rejection with its finality in place of an
 * exception.
 */
export function requestHook(
  needs: HookRequestNeeds,
  hook: ResolvedHook,
  call: HookCall,
): Promise<HookOutcome> {
  const { telemetry } = needs
  if (!telemetry) return ask(needs, hook, call)
  const attributes = { 'auth.hook': hookNames[call.point] }
  const startedAt = performance.now()
  return telemetry.run({ name: `hook ${hookNames[call.point]}`, attributes }, async (span) => {
    const outcome = await ask(needs, hook, call)
    const failed = 'error' in outcome && { 'error.type': errorTypeOf(outcome.error) }
    if (failed) span.fail(failed['error.type'])
    telemetry.time('auth.hook.duration', secondsSince(startedAt), { ...attributes, ...failed })
    return outcome
  })
}

function ask(
  { clock, database, telemetry, hookQueue, databaseHookSemaphore, ...limits }: HookRequestNeeds,
  { run, uri, secrets }: ResolvedHook,
  call: HookCall,
): Promise<HookOutcome> {
  const { hookTimeoutMs: timeoutMs = 5000, hookPauseMs: pauseMs = 2000 } = limits
  const payload = { metadata: metadataOf(call), ...call.payload }
  if (run) return callFunctionHook(run, { point: call.point, payload }, timeoutMs)
  const called = functionOf(uri ?? '')
  if (called) {
    const callNow = () => callDatabaseHook(database, called, { point: call.point, payload })
    return databaseHookSemaphore ? databaseHookSemaphore(callNow) : callNow()
  }
  const webhook = { uri: uri ?? '', secrets, id: call.id, body: JSON.stringify(payload) }
  const askNow = () => callHttpHook({ clock, timeoutMs, pauseMs, telemetry }, call.point, webhook)
  return hookQueue ? hookQueue(askNow) : askNow()
}

const metadataOf = ({ point, id, at, ip }: HookCall) => ({
  uuid: id,
  time: at.toISOString(),
  name: hookNames[point],
  ...(ip !== null && { ip_address: ip }),
})
