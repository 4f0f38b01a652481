import { isWebScheme, leadsToApplication } from '../../platform/kit/url-scheme.ts'

/** The reason why a text is no valid target, whatever the configuration permits. */
export type MalformedTarget =
  | 'it is empty'
  | 'it is longer than 4,096 characters'
  | 'it holds a backslash, white space or an invisible character'
  | 'it is no absolute URL'
  | 'its scheme leads to no application'
  | 'it names a user'
  | 'its host is written in an unusual way'
  | 'its path leads upwards'

/** The parts of a target as it was written. */
export interface Target {
  /** Lower-case, without `:`. */
  scheme: string
  /** Host and port, in lower case for web schemes; null where the URL has none. */
  authority: string | null
  /** The host without port; empty where the URL has none. */
  host: string
  /** Empty for the default port of the scheme. */
  port: string
  /** Path and query. */
  rest: string
}

const maxLength = 4096

/**
 * Control, format, unassigned and surrogate characters, separators of any script, and the
 * backslash.
 */
const unseen = /[\p{C}\p{Z}\\]/u

const form = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^#]*)/i

/**
 * Reads a target. Each parser repairs unusual URLs in its own way, and a browser must not be
 * redirected to another host than the one that was checked. So unusual forms are rejected, and the
 * host must be written in its normal form.
 */
export function readTarget(text: string): Target | MalformedTarget {
  if (text === '') return 'it is empty'
  if (text.length > maxLength) return 'it is longer than 4,096 characters'
  if (unseen.test(text)) return 'it holds a backslash, white space or an invisible character'
  const url = URL.parse(text)
  const [, scheme = '', written, rest = ''] = form.exec(text) ?? []
  const isWeb = isWebScheme(scheme.toLowerCase())
  if (url === null || (isWeb && !written)) return 'it is no absolute URL'
  if (!leadsToApplication(scheme.toLowerCase())) return 'its scheme leads to no application'
  if (written?.includes('@')) return 'it names a user'
  const authority = (isWeb ? written?.toLowerCase() : written) ?? null
  const host = authority?.replace(/:\d*$/, '') ?? ''
  // A glob takes a `:` without a port for part of the host; a browser ignores it.
  const isOdd = url.hostname !== host || authority?.endsWith(':')
  if (isOdd) return 'its host is written in an unusual way'
  if (leadsUpwards(rest)) return 'its path leads upwards'
  return { scheme: scheme.toLowerCase(), authority, host, port: url.port, rest }
}

/**
 * Returns whether a server might read `..` in the path: in letters, percent-encoded once or more
 * often, or with a parameter that some servers remove.
 */
function leadsUpwards(rest: string): boolean {
  const path = rest.replace(/\?.*$/, '').replace(/%(?:25)+/g, '%')
  const segments = path.replace(/%2e/gi, '.').split(/\/|%2f|%5c/i)
  return segments.some((segment) => /^\.\.?(?:;|%3b|$)/i.test(segment))
}
