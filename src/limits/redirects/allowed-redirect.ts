import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { explainRedirect, type RedirectSettings } from './explain-redirect.ts'

/** The redirect target that a request contains, and the page that it came from. */
export interface RequestedRedirect {
  /** The requested target. */
  target?: string | undefined
  /** The page that sent the request: the second choice. */
  referer?: string | undefined
  /** Whether a function call, not a request of a browser, contains the target. */
  isCall?: boolean | undefined
}

interface Needs {
  config: RedirectSettings & Partial<Pick<Config, 'development'>>
  logger: Logger
  request: { id: string; decided(decision: { kind: 'redirect'; rule: string }): void }
}

/**
 * Returns the first permitted target: the requested one, else the page that sent the request, else
 * the site.
 *
 * @returns a URL in ASCII, as headers require.
 * @throws AuthError `validation_failed` when the requested target is not permitted and the
 *   configuration rejects such requests, or a call contains it in development.
 */
export function allowedRedirect(
  { config, logger, request }: Needs,
  { target = '', referer = '', isCall = false }: RequestedRedirect,
): string {
  const decision = explainRedirect(config, target)
  if (decision.allowed) return inAscii(target)
  if (target !== '') {
    // Not the target itself: its path and query may contain secrets.
    const { reason } = decision
    logger.warn(
      { requestId: request.id, reason, target: siteOf(target) },
      'redirect target rejected',
    )
    request.decided({ kind: 'redirect', rule: reason })
    // In development, the developer who calls the function sees the reason at once.
    if (isCall && config.development) throw redirectNotPermitted(`: ${reason}. ${remedy}`)
    if (config.redirects.onDenied === 'reject') throw redirectNotPermitted()
  }
  return inAscii(explainRedirect(config, referer).allowed ? referer : config.siteUrl)
}

/**
 * Returns scheme and host, which the operator can add to the allow list; for apps the scheme only.
 */
function siteOf(target: string): string | null {
  const url = URL.parse(target)
  return url && (url.origin === 'null' ? url.protocol : url.origin)
}

/** Encodes path and query in percent, and the host as `xn--…`, where it is needed. */
const inAscii = (url: string): string =>
  /^[ -~]*$/.test(url) ? url : (URL.parse(url)?.href ?? encodeURI(url))

const remedy = 'Add it to redirects.allowList (AUTH_URI_ALLOW_LIST)'

const redirectNotPermitted = (reason = ''): AuthError =>
  new AuthError('validation_failed', 400, `redirect_to: is not a permitted target${reason}`)
