import type { CaptchaAttempt, CaptchaProvider } from '../../platform/config/sections/security.ts'
import { isPublic, readIpAddress } from '../../platform/kit/ip-address.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'

/** Asks another server, within the bounds of `platform/kit/safe-fetch.ts`. */
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

/** All that a provider has to say of one captcha. */
const maxBytes = 64 * 1024

/**
 * Asks a provider whether a captcha was solved, once: an answer that did not come has spent it all the same.
 *
 * @returns why it does not count; null when it does.
 * @throws Error when the provider gives no answer, or none that says so or otherwise.
 */
export async function askCaptchaProvider(
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

/** The address of a proxy of ours says nothing of who solved it. */
function remoteIp(ip: string | null): { remoteip?: string } {
  const address = readIpAddress(ip ?? '')
  return address && isPublic(address) ? { remoteip: address.text } : {}
}

/** @throws Error when it is no verdict. Nothing of it is quoted. */
function readVerdict({ status, text }: FetchAnswer): Record<string, unknown> {
  const said = parse(text)
  const isVerdict = isRecord(said) && typeof said['success'] === 'boolean'
  // A server that has trouble may say anything.
  if (!isVerdict || (said['success'] === true && status !== 200)) {
    throw new Error(`the captcha provider answered ${status} without a verdict`)
  }
  return said
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Why a captcha does not count; null when it does. What is asked for and not told, counts as wrong. */
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

const isAmong = (expected: readonly string[], told: unknown): boolean =>
  expected.length === 0 || (typeof told === 'string' && expected.includes(told))

/** What is told to clients: words, and few of them. */
function codesIn(codes: unknown): string {
  const told = Array.isArray(codes) ? codes : []
  const words = told.filter((code) => typeof code === 'string' && /^[\w-]{1,64}$/.test(code))
  return words.slice(0, 5).join(', ') || 'not solved'
}
