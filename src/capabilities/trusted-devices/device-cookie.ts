import type { H3Event } from 'h3'
import type { Config } from '../../platform/config/config.ts'
import { cookieOf, isSecure } from '../../platform/http/browser-cookie.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'

/**
 * The cookie of a trusted device, one for each user, so that users of one browser do not overwrite
 * each other's. It has no effect without an access token of that user, so pages of other users
 * cannot use it.
 *
 * With TLS only the service can set the cookie, not even a neighbouring host of a shared domain.
 *
 * @see RFC 6265bis §4.1.3.2
 */
const nameOf = ({ externalUrl }: Pick<Config, 'externalUrl'>, userId: string): string => {
  const name = `latchkey-device-${sha256Hex(userId).slice(0, 16)}`
  return isSecure(externalUrl) ? `__Host-${name}` : name
}

const form = /^[0-9a-f]{64}$/

/** Returns the browser's secret for this user; null without one. */
export const readDevice = (
  config: Pick<Config, 'externalUrl'>,
  event: H3Event,
  userId: string,
): string | null => cookieOf(event, nameOf(config, userId), form)

/** Returns the `Set-Cookie` header that stores the secret until the lifetime ends. */
export function keepDevice(
  config: Pick<Config, 'externalUrl'>,
  userId: string,
  { secret, lifetimeSeconds }: { secret: string; lifetimeSeconds: number },
): string {
  const rest = isSecure(config.externalUrl) ? 'Secure; SameSite=Strict' : 'SameSite=Strict'
  const maxAge = Math.max(0, Math.floor(lifetimeSeconds))
  return `${nameOf(config, userId)}=${secret}; Path=/; Max-Age=${maxAge}; HttpOnly; ${rest}`
}
