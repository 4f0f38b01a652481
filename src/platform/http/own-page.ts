import type { H3Event } from 'h3'
import type { Config } from '../config/config.ts'
import { AuthError } from '../errors/auth-error.ts'

/**
 * Requires that a page of the service submitted a form, if the browser reports the origin. Only
 * outdated browsers and other clients report none; they are checked by the secrets of form and
 * cookie.
 *
 * @throws AuthError `origin_not_allowed` (403).
 * @see Fetch Metadata §2.4
 */
export function requireOwnPage(
  config: Pick<Config, 'externalUrl' | 'providers'>,
  { req }: H3Event,
): void {
  const site = req.headers.get('sec-fetch-site')
  const origin = req.headers.get('origin')
  const isOwn =
    site === null ? origin === null || isOwnOrigin(config, origin) : site === 'same-origin'
  if (isOwn) return
  throw new AuthError(
    'origin_not_allowed',
    403,
    'The form was submitted by a page of another origin',
  )
}

/** The service has its own URL, and the redirect URIs of providers. */
function isOwnOrigin(
  { externalUrl, providers }: Pick<Config, 'externalUrl' | 'providers'>,
  origin: string,
): boolean {
  const urls = [externalUrl, ...Object.values(providers).map(({ redirectUri }) => redirectUri)]
  return urls.some((url) => url !== null && URL.parse(url)?.origin === origin)
}
