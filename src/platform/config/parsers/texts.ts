import { parseTemplate } from '../../go-template/parse-template.ts'
import { TemplateError } from '../../go-template/template-error.ts'
import { normalizeDomain } from '../../kit/email-domain.ts'
import { fails, type Parser, reads } from './parser.ts'

interface TextRule {
  /** The name in the documentation. Default: text. */
  name?: string
  /** The message if `pattern` does not match. */
  mustBe: string
  pattern: RegExp
  /** Normalizes a matching text. */
  normalize?: (text: string) => string
  maxBytes?: number
}

/** A text that matches a pattern. */
function textLike({
  name = 'text',
  mustBe,
  pattern,
  normalize = (text) => text,
  maxBytes = Number.POSITIVE_INFINITY,
}: TextRule): Parser<string, string> {
  return {
    name,
    emptyMeansAbsent: true,
    parse: reads,
    check: (given) => {
      const fits = typeof given === 'string' && pattern.test(given)
      if (!fits || Buffer.byteLength(given) > maxBytes) return fails(`must be ${mustBe}`)
      return reads(normalize(given))
    },
  }
}

/** A text without control characters, which are invalid in headers, paths and names. */
export const text = textLike({
  mustBe: 'a text without control characters',
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected
  pattern: /^[^\u0000-\u001f\u007f]*$/,
})

/** A `text` without the white space around it that copying a secret often adds. */
export const trimmedText: Parser<string, string> = {
  ...text,
  check: (given) => text.check(typeof given === 'string' ? given.trim() : given),
}

/** The beginning of phone numbers of a country or region: `+` and digits. The `+` is dropped. */
export const callingPrefix = textLike({
  name: 'prefix',
  mustBe: 'the beginning of a number, as in +49',
  pattern: /^\+[1-9]\d{0,6}$/,
  normalize: (prefix) => prefix.slice(1),
})

/** The text of a message, which may have several lines and contain variables. */
export const template: Parser<string, string> = {
  name: 'template',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    if (typeof given !== 'string' || given.includes('\0')) return fails('must be a string')
    try {
      parseTemplate(given)
      return reads(given)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return fails(`must be a template, but at ${error.message}`)
    }
  },
}

/** The name of a schema, or a prefix of table names, that SQL accepts unquoted. */
export const sqlName = textLike({
  mustBe: 'lower-case letters, digits and "_", not starting with a digit, 40 bytes at most',
  pattern: /^[a-z_][a-z0-9_]*$/,
  maxBytes: 40,
})

/** @see RFC 9110 §5.1 */
export const headerName = textLike({
  name: 'header name',
  mustBe: 'the name of an HTTP header',
  pattern: /^[\w!#$%&'*+.^`|~-]+$/,
})

/** Words that mean `off`, and headers whose value each client chooses. */
const noClientHeaders = new Set(
  (
    'none no false disabled disable null undefined nil true yes on 0 1 accept accept-encoding accept-language authorization ' +
    'connection content-length content-type cookie host origin referer user-agent'
  ).split(' '),
)

/**
 * A header that identifies clients, or `off` in any letter case, which states that there is no
 * proxy. With a header that no proxy sets, each client would choose its value.
 */
export const clientHeader: Parser<string | null, string> = {
  ...headerName,
  check: (given) => {
    const name = typeof given === 'string' ? given.trim().toLowerCase() : ''
    if (name === 'off') return reads(null)
    const isUsable = /[a-z]/.test(name) && !noClientHeaders.has(name)
    return isUsable
      ? headerName.check(given)
      : fails('must be a header that your proxy sets, such as x-forwarded-for, or off')
  },
}

export const emailAddress = textLike({
  name: 'email address',
  mustBe: 'an email address',
  pattern: /^[^\s<>@]+@[^\s<>@]+$/,
})

/** A host, optionally with a port, in the form of proxies and browsers. */
export const hostAndPort = textLike({
  name: 'host',
  mustBe: 'a host such as "auth.example.com" or "auth.example.com:8443", in lower case',
  pattern: /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/,
})

/** The name of a host, not an address. */
export const domain = textLike({
  name: 'domain',
  mustBe: 'a domain such as "example.com", without scheme, port or path',
  pattern:
    /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i,
  normalize: (name) => name.toLowerCase(),
})

/** A host or address, in the form of DNS MX records. A wildcard would never match. */
export const mailHost = textLike({
  name: 'host',
  mustBe: 'a host such as "mx.example.com" or an address, without scheme, port or wildcard',
  pattern: /^[a-z0-9](?:[a-z0-9._-]*\.?|[a-f0-9.:]*)$|^::[a-f0-9.:]*$/i,
})

/** A domain of email addresses in ASCII; other letters are converted (IDNA). */
export const emailDomain: Parser<string, string> = {
  name: 'domain',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const name = typeof given === 'string' ? normalizeDomain(given) : null
    return name === null
      ? fails('must be a domain such as "example.com", without a wildcard or trailing dot')
      : reads(name)
  },
}

/** A mount path. A slash at its end is dropped. */
export const mountPath = textLike({
  name: 'path',
  mustBe: 'a path such as "/auth"',
  pattern: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/,
  normalize: (path) => path.replace(/\/$/, ''),
})
