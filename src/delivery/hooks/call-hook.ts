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
import { askInDatabase, type HookDatabase, isInDatabase } from './ask-in-database.ts'
import { askInProcess } from './ask-in-process.ts'
import { askOverHttp } from './ask-over-http.ts'
import type { HookOutcome, HookOutput } from './hook-outcome.ts'

/** What a hook is told that it is asked about, in `metadata.name`. */
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

/** One thing that a hook is asked or told. */
export interface HookCall {
  point: HookPoint
  /** What it is about, as the wire has it; `metadata` is added. */
  payload: HookOutput
  /** A UUID: `metadata.uuid` and `webhook-id`. Who makes a call again gives it the same one. */
  id: string
  /** When what it is about happened. */
  at: Date
  /** The client's address, where it is known. */
  ip: string | null
}

/** What asking takes. */
export interface AskNeeds {
  clock: Clock
  database: HookDatabase
  /** How long a hook may take, all attempts together. Default 5,000. */
  hookTimeoutMs?: number
  /** Before another attempt, where one reached nobody. Default 2,000. */
  hookPauseMs?: number
  telemetry?: Telemetry | null
  /** Bounds hooks on the web that requests of clients cause. */
  hookQueue?: OutgoingQueue
}

export interface HookNeeds extends AskNeeds {
  logger: Logger
}

/**
 * Asks a hook and returns what it says.
 *
 * @throws AuthError as the hook wants it, or `hook_timeout`, `hook_timeout_after_retry`,
 *   `hook_payload_over_size_limit`, `hook_payload_invalid_content_type`, or `unexpected_failure` (500)
 *   when the hook does not work.
 */
export async function callHook(
  needs: HookNeeds,
  hook: ResolvedHook,
  call: HookCall,
): Promise<HookOutput> {
  const outcome = await askHook(needs, hook, call)
  if (!('error' in outcome)) return outcome.output
  if (isBroken(outcome.error)) {
    const fields = { hook: hookNames[call.point], fault: describeFault(outcome.error) }
    needs.logger.warn(fields, 'a hook does not work')
  }
  throw outcome.error
}

/** To callers these are refusals, of which nothing else is logged; the operator has work to do. */
const isBroken = (error: unknown): boolean =>
  error instanceof AuthError && error.code.startsWith('hook_')

/** {@link callHook} for those who have a use for a no, and want to know whether it is the last word. */
export function askHook(needs: AskNeeds, hook: ResolvedHook, call: HookCall): Promise<HookOutcome> {
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
  { clock, database, telemetry, hookQueue, ...limits }: AskNeeds,
  { run, uri, secrets }: ResolvedHook,
  call: HookCall,
): Promise<HookOutcome> {
  const { hookTimeoutMs: timeoutMs = 5000, hookPauseMs: pauseMs = 2000 } = limits
  const payload = { metadata: metadataOf(call), ...call.payload }
  if (run) return askInProcess(run, { point: call.point, payload }, timeoutMs)
  if (uri && isInDatabase(uri)) return askInDatabase(database, uri, { point: call.point, payload })
  const webhook = { uri: uri ?? '', secrets, id: call.id, body: JSON.stringify(payload) }
  const askNow = () => askOverHttp({ clock, timeoutMs, pauseMs, telemetry }, call.point, webhook)
  return hookQueue ? hookQueue(askNow) : askNow()
}

const metadataOf = ({ point, id, at, ip }: HookCall) => ({
  uuid: id,
  time: at.toISOString(),
  name: hookNames[point],
  ...(ip !== null && { ip_address: ip }),
})
