import { domainToASCII } from 'node:url'

/**
 * Returns the canonical spelling of a domain for comparisons: ASCII (IDNA) in lower case; null for
 * other texts.
 */
export function normalizeDomain(name: string): string | null {
  // Characters of a URL would end the host, and a trailing dot would be a second name of the same
  // host.
  if (!/^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+$/u.test(name)) return null
  const ascii = domainToASCII(name)
  return domainForm.test(ascii) ? ascii : null
}

const domainForm =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reports whether the domain of an address is exactly one of `domains`: no subdomain, no trailing
 * dot.
 *
 * @param domains as {@link normalizeDomain} returns them.
 */
export function isInDomains(address: string, domains: readonly string[]): boolean {
  // Some letters beyond ASCII become ASCII in lower case.
  if (!/^[\x21-\x7e]+$/.test(address)) return false
  const at = address.lastIndexOf('@')
  return at > 0 && domains.includes(address.slice(at + 1).toLowerCase())
}
