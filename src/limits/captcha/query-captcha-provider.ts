import type { CaptchaAttempt, CaptchaProvider } from '../../platform/config/sections/security.ts'
import { isPublic, readIpAddress } from '../../platform/kit/ip-address.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'

/** A request to another server, within the bounds of `platform/kit/safe-fetch.ts`. */
export type CaptchaFetch = (url: string, options: FetchOptions) => Promise<FetchAnswer>

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

export interface CaptchaAccess extends Expectations {
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
export async function queryCaptchaProvider(
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
