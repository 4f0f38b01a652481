import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { explainRedirect, type RedirectSettings } from './explain-redirect.ts'

/** Where somebody would like to be sent to. */
export interface RedirectWish {
  /** What was asked for. */
  target?: string | undefined
  /** The page that the request came from: the second choice. */
  referer?: string | undefined
}

interface Needs {
  config: RedirectSettings
  logger: Logger
  request: { id: string; decided(decision: { kind: 'redirect'; rule: string }): void }
}

/**
 * The permitted target that comes closest to a wish: what was asked for, else the page that asked,
 * else the site.
 *
 * @returns a URL in ASCII, as headers want it.
 * @throws AuthError `validation_failed` when what was asked for is not permitted and the configuration
 *   says to reject that.
 */
export function allowedRedirect(
  { config, logger, request }: Needs,
  { target = '', referer = '' }: RedirectWish,
): string {
  const decision = explainRedirect(config, target)
  if (decision.allowed) return inAscii(target)
  if (target !== '') {
    // Not the target itself: its path and query may hold secrets.
    const { reason } = decision
    logger.warn({ requestId: request.id, reason, site: siteOf(target) }, 'redirect target refused')
    request.decided({ kind: 'redirect', rule: reason })
    if (config.redirects.onDenied === 'reject') throw redirectNotPermitted()
  }
  return inAscii(explainRedirect(config, referer).allowed ? referer : config.siteUrl)
}

/** Scheme and host, so that an operator finds what to put on the list; of apps the scheme alone. */
function siteOf(target: string): string | null {
  const url = URL.parse(target)
  return url && (url.origin === 'null' ? url.protocol : url.origin)
}

/** Path and query percent-encoded, and the host as `xn--…`, where there is a need. */
const inAscii = (url: string): string =>
  /^[ -~]*$/.test(url) ? url : (URL.parse(url)?.href ?? encodeURI(url))

const redirectNotPermitted = (): AuthError =>
  new AuthError('validation_failed', 400, 'redirect_to: is not a permitted target')
