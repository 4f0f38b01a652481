import { Resolver } from 'node:dns/promises'
import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { findMailHosts, hostOf, type MailResolver } from './mail-exchangers.ts'

/**
 * Reports whether mail may be sent to an address, as far as this can be determined now. Never
 * fails.
 */
export type IsDeliverable = (email: string) => Promise<boolean>

interface Needs {
  config: Config
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>
  logger: Logger
  /** Default: the system's resolver, with at most two attempts. */
  resolver?: MailResolver | undefined
}

/** The time limit for all checks. An address that takes longer is accepted. */
const timeoutMs = 3000

/** Providers whose domains accept mail. */
const largeProviders: ReadonlySet<string> = new Set([
  'aol.com',
  'fastmail.com',
  'gmail.com',
  'gmx.de',
  'gmx.net',
  'googlemail.com',
  'hotmail.com',
  'icloud.com',
  'live.com',
  'mac.com',
  'mail.ru',
  'me.com',
  'msn.com',
  'outlook.com',
  'proton.me',
  'protonmail.com',
  'qq.com',
  'web.de',
  'yahoo.com',
  'yandex.ru',
  'zoho.com',
])

/**
 * @returns a function that checks addresses before a mail is sent; null if no check is configured.
 */
export function openDeliverability({ config, ...needs }: Needs): IsDeliverable | null {
  const { extended, serviceUrl, blockedMx, blockedDomains } = config.email.validation
  const checks = [
    ...(extended ? [{ by: 'placeholders', isGood: isNoPlaceholder }] : []),
    ...(blockedDomains.length > 0
      ? [{ by: 'blocked domains', isGood: outsideOf(new Set(blockedDomains)) }]
      : []),
    ...(extended || blockedMx.length > 0
      ? [{ by: 'mail hosts', isGood: takesMail(config, needs) }]
      : []),
    ...(serviceUrl === null
      ? []
      : [{ by: 'service', isGood: goodAtService(serviceUrl, config, needs) }]),
  ]
  if (checks.length === 0) return null
  return async (email) => {
    const results = await Promise.all(
      checks.map(({ isGood }) =>
        withinTime(isGood(email), timeoutMs, () => new Error('it exceeded its time limit')).catch(
          (error: unknown) => {
            if (error instanceof AuthError) throw error
            const fault = describeFault(error)
            needs.logger.warn({ fault }, 'an email address was not checked, and was accepted')
            return true
          },
        ),
      ),
    )
    const refusedBy = checks.filter((_, at) => !results[at]).map(({ by }) => by)
    // The response is the same for all checks: only this log entry names the one that rejected the
    // address.
    if (refusedBy.length > 0) needs.logger.info({ refusedBy }, 'email address rejected')
    return refusedBy.length === 0
  }
}

const isNoPlaceholder: IsDeliverable = async (email) => !isPlaceholder(email)

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1)

/** Blocks domains with their subdomains. */
const outsideOf =
  (blocked: ReadonlySet<string>): IsDeliverable =>
  async (email) => {
    const labels = domainOf(email).split('.')
    return !labels.some((_, at) => blocked.has(labels.slice(at).join('.')))
  }

function takesMail(
  { email: { validation } }: Config,
  { resolver = new Resolver({ timeout: timeoutMs / 3, tries: 2 }) }: Omit<Needs, 'config'>,
): IsDeliverable {
  const blocked = new Set(validation.blockedMx.map(hostOf))
  return async (email) => {
    const domain = domainOf(email)
    if (blocked.size === 0 && largeProviders.has(domain)) return true
    const hosts = await findMailHosts(resolver, domain)
    if (hosts.length === 0) return !validation.extended
    return !hosts.some((host) => blocked.has(host))
  }
}

function goodAtService(
  url: string,
  { email: { validation } }: Config,
  { fetch }: Omit<Needs, 'config'>,
): IsDeliverable {
  const headers = Object.fromEntries(
    Object.entries(validation.serviceHeaders).map(([name, values]) => [name, values.join(', ')]),
  )
  return async (email) => {
    const { status, text } = await fetch(url, {
      trust: 'operator',
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
      timeoutMs,
      maxBytes: 64 * 1024,
    })
    if (status < 200 || status > 299) throw new Error(`the validation service returned ${status}`)
    const response: unknown = parse(text)
    if (!isRecord(response))
      throw new Error('the validation service returned a value that is not a JSON object')
    return response['valid'] !== false
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Domains of documentation, and common misspellings of large providers. */
const domains: ReadonlySet<string> = new Set([
  'example.com',
  'example.net',
  'example.org',
  'test.com',
  'gamil.com',
  'gmai.com',
  'gmail.co',
  'gmail.con',
  'gmial.com',
  'gnail.com',
  'hotmai.com',
  'hotmail.con',
  'hotmial.com',
  'outlok.com',
  'yaho.com',
  'yahoo.con',
])

/** Top-level domains that cannot be registered. @see RFC 6761, RFC 6762 */
const endings: ReadonlySet<string> = new Set(['test', 'example', 'invalid', 'local', 'localhost'])

const names: ReadonlySet<string> = new Set(['test', 'example', 'asdf', 'qwerty', 'user', 'foo'])

/** Gmail's minimum length of names. */
const leastGmailLength = 6

/** Reports whether an address is a common placeholder. */
export function isPlaceholder(email: string): boolean {
  const [name = '', domain = ''] = email.split('@')
  const labels = domain.split('.')
  if (labels.length < 2 || endings.has(labels.at(-1) ?? '') || domains.has(domain)) return true
  if (domain !== 'gmail.com' && domain !== 'googlemail.com') return false
  const [mailbox = ''] = name.split('+')
  return names.has(mailbox) || mailbox.length < leastGmailLength
}
