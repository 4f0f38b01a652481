import { withoutTrailingSlashes } from '../../kit/trailing-slashes.ts'
import { fails, type Parser, reads } from './parser.ts'

/**
 * A URL of `http:` or `https:` without credentials. Slashes at its end are dropped, so that paths
 * can be appended.
 */
export const webUrl: Parser<string, string> = urlLike(
  'must be a URL such as https://auth.example.com',
  (given) => (isWebUrl(given) ? withoutTrailingSlashes(given) : null),
)

/** The issuer identifier of an OpenID provider, kept unchanged. @see OpenID Connect Core 1.0 §2 */
export const issuerUrl: Parser<string, string> = urlLike(
  'must be a URL such as https://accounts.example.com, without a query',
  (given) => (isWebUrl(given) && !/[?#]/.test(given) ? given : null),
)

/** The URL of the site or app, kept unchanged; apps have their own schemes. */
export const siteUrl: Parser<string, string> = urlLike(
  'must be a URL such as https://app.example.com',
  (given) => {
    const fits = /^https?:/i.test(given) ? isWebUrl(given) : /^[a-z][\w+.-]*:\/\/\S+$/i.test(given)
    return fits ? given : null
  },
)

/** A path on another URL, or a URL. */
export const urlOrPath: Parser<string, string> = urlLike(
  'must be a URL, or a path that starts with "/"',
  (given) => (/^\/(?!\/)\S*$/.test(given) || isWebUrl(given) ? given : null),
)

/** The address of a hook: a web URL, or a function of the database. */
export const hookUri: Parser<string, string> = urlLike(
  'must be a URL of https:, http: or pg-functions://postgres/<schema>/<function>',
  (given) => (isWebUrl(given) || pgFunction.test(given) ? given : null),
)

const pgFunction = /^pg-functions:\/\/[^/]+\/[a-z_]\w{0,62}\/[a-z_]\w{0,62}$/i

/**
 * The origin of a page, in the spelling of browsers; an app's equivalent is kept unchanged.
 *
 * @see RFC 6454 §6.2
 */
export const origin: Parser<string, string> = urlLike(
  'must be an origin such as https://app.example.com, without a path',
  (given) => {
    if (!/^https?:/i.test(given)) return /^[a-z][\w+.-]*:\S+$/i.test(given) ? given : null
    const url = isWebUrl(given) ? new URL(given) : null
    return url && `${url.pathname}${url.search}${url.hash}` === '/' ? url.origin : null
  },
)

const postgresForm = 'must be a URL such as postgres://user:password@host:5432/database'

const anyPostgresUrl = urlLike(postgresForm, (given) =>
  /^postgres(?:ql)?:\/\/\S+$/i.test(given) ? given : null,
)

/**
 * Reports whether the parts of a URL are the intended ones: `#`, `/` or `?` in a password would end
 * its host. The driver accepts a missing host.
 */
function isDivided(given: string): boolean {
  const url = URL.parse(given) ?? URL.parse(given.replace('@/', '@host/'))
  return url !== null && !given.includes('#') && !url.pathname.includes('@')
}

/** A connection string of Redis; it may contain a password. */
export const redisUrl: Parser<string, string> = urlLike(
  'must be a URL such as rediss://user:password@host:6379/0, with special characters of the ' +
    'password encoded, such as %23 for #',
  (given) => {
    const url = /^rediss?:\/\/\S+$/i.test(given) ? URL.parse(given) : null
    const isWhole = url !== null && url.hostname !== '' && /^\/?\d*$/.test(url.pathname)
    return isWhole && url.search === '' && url.hash === '' ? given : null
  },
)

const tlsRule =
  'must contain TLS parameters that the driver supports, each once: sslmode=disable, prefer, require, verify-ca, verify-full ' +
  'or no-verify, ssl=true or false, sslnegotiation, sslcert, sslkey, sslrootcert'

/** A connection string of PostgreSQL; it may contain a password. */
export const postgresUrl: Parser<string, string> = {
  ...anyPostgresUrl,
  check: (given) => {
    const reading = anyPostgresUrl.check(given)
    if (!('value' in reading)) return reading
    if (!isDivided(reading.value)) {
      return fails(
        `${postgresForm}, with special characters of the password encoded, such as %23 for #`,
      )
    }
    return hasIgnoredTls(reading.value) ? fails(tlsRule) : reading
  },
}

/** The TLS parameters of the PostgreSQL driver. It ignores all others, and connects without TLS. */
const tlsParameters: Readonly<Record<string, RegExp>> = {
  ssl: /^(?:true|false|1|0)$/,
  sslmode: /^(?:disable|prefer|require|verify-ca|verify-full|no-verify)$/,
  sslnegotiation: /^(?:postgres|direct)$/,
  sslcert: /./,
  sslkey: /./,
  sslrootcert: /./,
}

/**
 * Reports whether a URL has a TLS parameter that the driver ignores: misspelled, repeated or with
 * another value.
 */
function hasIgnoredTls(given: string): boolean {
  const parameters = [...new URLSearchParams(given.split('?').slice(1).join('?'))].filter(
    ([name]) => /^ssl|^tls/i.test(name),
  )
  const names = parameters.map(([name]) => name)
  return (
    new Set(names).size < names.length ||
    parameters.some(
      ([name, value]) => !Object.hasOwn(tlsParameters, name) || !tlsParameters[name]?.test(value),
    )
  )
}

function urlLike(mustBe: string, read: (given: string) => string | null): Parser<string, string> {
  return {
    name: 'URL',
    emptyMeansAbsent: true,
    parse: (text) => reads(text.trim()),
    check: (given) => {
      const url = typeof given === 'string' ? read(given) : null
      return url === null ? fails(mustBe) : reads(url)
    },
  }
}

function isWebUrl(given: string): boolean {
  const url = URL.parse(given)
  const isWeb = /^https?:\/\/[^\s\\]+$/i.test(given) && url !== null
  return isWeb && url.username === '' && url.password === ''
}
