import { type Client, findClient } from '../../limits/client-address.ts'
import type { Config } from '../../platform/config/config.ts'

interface Addressed {
  headers: Pick<Headers, 'get'>
  /** The peer of the socket. */
  ip?: string | undefined
}

/** Identifies the client of a request by the headers that the configuration trusts. */
export const clientOf = (
  { rateLimits, security }: Pick<Config, 'rateLimits' | 'security'>,
  { headers, ip }: Addressed,
): Client =>
  findClient(
    { header: (name) => headers.get(name), peer: ip ?? null },
    { ...rateLimits, forwardedFor: security.svcForwardedForEnabled },
  )
