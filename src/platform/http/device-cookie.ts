import type { H3Event } from 'h3'
import type { Config } from '../config/config.ts'
import { sha256Hex } from '../kit/digest.ts'
import { cookieOf, isSecure } from './browser-cookie.ts'

/**
 * The secret of a trusted device, where a browser keeps it: one for each user, so that people who share a browser do not
 * overwrite each other's. Without the access token of that user it opens nothing, so nobody else's page can use it.
 *
 * Where the service is reached over TLS, nobody but it can set the cookie, not even a neighbour under a shared domain.
 *
 * @see RFC 6265bis §4.1.3.2
 */
const nameOf = ({ externalUrl }: Pick<Config, 'externalUrl'>, userId: string): string => {
  const name = `latchkey-device-${sha256Hex(userId).slice(0, 16)}`
  return isSecure(externalUrl) ? `__Host-${name}` : name
}

const form = /^[0-9a-f]{64}$/

/** What the browser keeps for this user; null where it keeps nothing. */
export const readDevice = (
  config: Pick<Config, 'externalUrl'>,
  event: H3Event,
  userId: string,
): string | null => cookieOf(event, nameOf(config, userId), form)

/** The header that has a browser keep the secret until then. */
export function keepDevice(
  config: Pick<Config, 'externalUrl'>,
  userId: string,
  { secret, lifetimeSeconds }: { secret: string; lifetimeSeconds: number },
): string {
  const rest = isSecure(config.externalUrl) ? 'Secure; SameSite=Strict' : 'SameSite=Strict'
  const maxAge = Math.max(0, Math.floor(lifetimeSeconds))
  return `${nameOf(config, userId)}=${secret}; Path=/; Max-Age=${maxAge}; HttpOnly; ${rest}`
}
