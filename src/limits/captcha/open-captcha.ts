import type { Config } from '../../platform/config/config.ts'
import type {
  CaptchaAttempt,
  CaptchaProvider,
  VerifyCaptcha,
} from '../../platform/config/sections/security.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { isPublic, readIpAddress } from '../../platform/kit/ip-address.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'
import { withinTime } from '../../platform/kit/within-time.ts'

/**
 * Verifies that a captcha was solved. Verification consumes the captcha.
 *
 * @throws AuthError `captcha_failed` (400); `service_unavailable` (503) when it cannot be verified.
 */
export type RequireSolved = (attempt: CaptchaAttempt) => Promise<void>

/** Returns the reason why a captcha is rejected; null when it is accepted. */
type FindObjection = (attempt: CaptchaAttempt) => Promise<string | null>

/** @returns the verifier, or null where captchas are disabled. */
export function openCaptcha(
  { security: { captcha } }: Pick<Config, 'security'>,
  fetch: CaptchaFetch,
): RequireSolved | null {
  if (!captcha.enabled) return null
  const { verify, timeoutSeconds } = captcha
  const timeoutMs = timeoutSeconds * 1000
  const findObjection: FindObjection = verify
    ? (attempt) => callVerifyFunction(verify, attempt, timeoutMs)
    : (attempt) => queryCaptchaProvider({ ...captcha, fetch, timeoutMs }, attempt)
  return async (attempt) => {
    const objection = await findObjection(attempt).catch((error: unknown) => {
      throw error instanceof AuthError ? error : captchaNotVerified(error)
    })
    if (objection !== null) throw captchaFailed(objection)
  }
}

async function callVerifyFunction(
  verify: VerifyCaptcha,
  attempt: CaptchaAttempt,
  timeoutMs: number,
): Promise<string | null> {
  const verifying = Promise.resolve(attempt).then(verify)
  const isSolved = await withinTime(
    verifying,
    timeoutMs,
    () => new Error('it exceeded its time limit'),
  )
  return isSolved === true ? null : 'not solved'
}

/** A request to another server, within the bounds of `platform/kit/safe-fetch.ts`. */
type CaptchaFetch = (url: string, options: FetchOptions) => Promise<FetchAnswer>

const recaptcha = 'https://www.google.com/recaptcha/api/siteverify'

const endpoints: Record<CaptchaProvider, string> = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  recaptcha_v2: recaptcha,
  recaptcha_v3: recaptcha,
}

interface Expectations {
  provider: CaptchaProvider
  hostnames: readonly string[]
  actions: readonly string[]
  minScore: number
}

interface CaptchaAccess extends Expectations {
  fetch: CaptchaFetch
  timeoutMs: number
  secret: string | null
}

/** The maximum size of a provider's response. */
const maxBytes = 64 * 1024

/**
 * Verifies a captcha with its provider. There is no retry: a request whose response is lost may
 * have consumed the captcha.
 *
 * @returns the reason why the captcha is rejected; null when it is accepted.
 * @throws Error when the provider does not respond, or responds without a verdict.
 */
async function queryCaptchaProvider(
  { fetch, timeoutMs, secret, ...expected }: CaptchaAccess,
  { token, ip }: CaptchaAttempt,
): Promise<string | null> {
  const form = new URLSearchParams({ secret: secret ?? '', response: token, ...remoteIp(ip) })
  const answer = await fetch(endpoints[expected.provider], {
    trust: 'operator',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    timeoutMs,
    maxBytes,
  })
  return objectionTo(readVerdict(answer), expected)
}

/** Omits the address of a proxy of the operator, which does not identify the user. */
function remoteIp(ip: string | null): { remoteip?: string } {
  const address = readIpAddress(ip ?? '')
  return address && isPublic(address) ? { remoteip: address.text } : {}
}

/** @throws Error when the response contains no verdict. The message does not quote the response. */
function readVerdict({ status, text }: FetchAnswer): Record<string, unknown> {
  const verdict = parse(text)
  const isVerdict = isRecord(verdict) && typeof verdict['success'] === 'boolean'
  // A success with an error status is no verdict.
  if (!isVerdict || (verdict['success'] === true && status !== 200)) {
    throw new Error(`the captcha provider answered ${status} without a verdict`)
  }
  return verdict
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Returns the reason why a captcha is rejected; null when it is accepted. A value that the
 * configuration requires and the provider omits counts as a mismatch.
 */
function objectionTo(
  { success, hostname, action, score, 'error-codes': codes }: Record<string, unknown>,
  { provider, hostnames, actions, minScore }: Expectations,
): string | null {
  if (success !== true) return codesIn(codes)
  if (!isAmong(hostnames, typeof hostname === 'string' ? hostname.toLowerCase() : null)) {
    return 'hostname-mismatch'
  }
  if (!isAmong(actions, action)) return 'action-mismatch'
  const isTooLow = provider === 'recaptcha_v3' && !(typeof score === 'number' && score >= minScore)
  return isTooLow ? 'score-too-low' : null
}

const isAmong = (expected: readonly string[], stated: unknown): boolean =>
  expected.length === 0 || (typeof stated === 'string' && expected.includes(stated))

/**
 * The provider's error codes as clients receive them: at most five, of word characters and hyphens.
 */
function codesIn(codes: unknown): string {
  const stated = Array.isArray(codes) ? codes : []
  const words = stated.filter((code) => typeof code === 'string' && /^[\w-]{1,64}$/.test(code))
  return words.slice(0, 5).join(', ') || 'not solved'
}

/** @param why error codes of the provider, or a reason of ours. */
export const captchaFailed = (why: string): AuthError =>
  new AuthError(
    'captcha_failed',
    400,
    `captcha_token: captcha protection: request disallowed (${why})`,
  )

/**
 * The verifier returned no usable response. The request is rejected, so that an outage admits no
 * unverified client.
 */
const captchaNotVerified = (cause: unknown): AuthError =>
  serviceUnavailable('captcha verification process failed', cause)
