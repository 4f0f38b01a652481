import { nearestName } from '../../platform/config/nearest-name.ts'
import { isLoopbackHost } from '../../platform/kit/ip-address.ts'
import { type CookieNaming, defaultName, hostPrefix } from './cookie-names.ts'

/** Options of sessions in cookies. */
export interface CookieSessionOptions {
  /**
   * The origin of the application's pages, such as `https://app.example.com`, or all of them.
   * Requests with effects must come from one of these.
   */
  origin: string | readonly string[]
  /**
   * Permits origins such as `http://localhost:3000`. Cookies are then not `Secure`, and have no
   * prefix that prevents other ports and hosts of this machine from setting them. Default false.
   */
  development?: boolean | undefined
  /**
   * The prefix of the cookies' names. Applications on one host need different ones. Default
   * `latchkey`.
   */
  name?: string | undefined
  /**
   * How long a browser keeps the cookies after their last renewal. The session may end before.
   * Default 400 days, the maximum of browsers.
   */
  lifetimeSeconds?: number | undefined
}

/** The validated options. */
export interface CookieTerms extends CookieNaming {
  /** The first is that of the service. */
  origins: ReadonlySet<string>
  lifetimeSeconds: number
}

const longestLifetimeSeconds = 400 * 86_400

const optionNames = Object.keys({
  origin: true,
  development: true,
  name: true,
  lifetimeSeconds: true,
} satisfies Record<keyof CookieSessionOptions, true>)

/** @throws TypeError for an invalid option. */
export function resolveCookieTerms(options: CookieSessionOptions): CookieTerms {
  const {
    origin: given,
    development = false,
    name = defaultName,
    lifetimeSeconds = longestLifetimeSeconds,
    ...rest
  } = options
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, optionNames)
    throw new TypeError(`unknown option ${unknown}${nearest ? `; did you mean ${nearest}?` : ''}`)
  }
  const origins = new Set([given].flat().map((origin) => readOrigin(origin, development)))
  if (origins.size === 0) throw new TypeError('origin: must contain the origin of the pages')
  const isSecure = [...origins].every((origin) => origin.startsWith('https:'))
  if (!isSecure && [...origins].some((origin) => origin.startsWith('https:')))
    throw new TypeError('origin: https and http must not be mixed')
  if (!/^[\w-]{1,32}$/.test(name))
    throw new TypeError('name: must be up to 32 letters, digits, - and _')
  if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds <= 0)
    throw new TypeError('lifetimeSeconds: must be a whole number above 0')
  return {
    origins,
    prefix: isSecure ? hostPrefix : '',
    name,
    lifetimeSeconds: Math.min(lifetimeSeconds, longestLifetimeSeconds),
  }
}

function readOrigin(text: unknown, development: boolean): string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (!url || (url.href !== `${url.origin}/` && url.href !== url.origin))
    throw new TypeError(`origin: ${text} is not an origin such as https://app.example.com`)
  // Origins are compared as a whole.
  if (url.hostname.includes('*'))
    throw new TypeError(`origin: ${text} contains a wildcard; list each origin`)
  if (url.protocol === 'https:') return url.origin
  if (url.protocol !== 'http:' || !isLoopbackHost(url.hostname))
    throw new TypeError(`origin: cookies of ${text} would be sent unencrypted; use https`)
  if (!development) {
    throw new TypeError(
      `origin: ${text} has no TLS. On this machine createCookieSessions permits it by development: true, in a production build too`,
    )
  }
  return url.origin
}
