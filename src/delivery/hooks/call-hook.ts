import type { HookPoint, ResolvedHook } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { OutgoingQueue } from '../../platform/kit/outgoing-queue.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import {
  errorTypeOf,
  secondsSince,
  type Telemetry,
} from '../../platform/observability/telemetry.ts'
import { callDatabaseHook, functionOf, type HookDatabase } from './call-database-hook.ts'
import { callFunctionHook } from './call-function-hook.ts'
import { callHttpHook } from './call-http-hook.ts'
import type { DatabaseHookTurns } from './database-hook-turns.ts'
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
  databaseHookTurns?: DatabaseHookTurns
}

export interface HookNeeds extends HookRequestNeeds {
  logger: Logger
}

/**
 * Calls a hook and returns its response.
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
  if (isBroken(outcome.error)) {
    const fields = { hook: hookNames[call.point], fault: describeFault(outcome.error) }
    needs.logger.warn(fields, 'hook failed')
  }
  throw outcome.error
}

/**
 * Reports whether an error is logged for the operator. Callers receive it as a rejection, which is
 * not logged otherwise.
 */
const isBroken = (error: unknown): boolean =>
  error instanceof AuthError && error.code.startsWith('hook_')

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
  { clock, database, telemetry, hookQueue, databaseHookTurns, ...limits }: HookRequestNeeds,
  { run, uri, secrets }: ResolvedHook,
  call: HookCall,
): Promise<HookOutcome> {
  const { hookTimeoutMs: timeoutMs = 5000, hookPauseMs: pauseMs = 2000 } = limits
  const payload = { metadata: metadataOf(call), ...call.payload }
  if (run) return callFunctionHook(run, { point: call.point, payload }, timeoutMs)
  const called = functionOf(uri ?? '')
  if (called) {
    const callNow = () => callDatabaseHook(database, called, { point: call.point, payload })
    return databaseHookTurns ? databaseHookTurns(callNow) : callNow()
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
