import { findClient } from '../../limits/client-address.ts'
import type { Config } from '../../platform/config/config.ts'
import { peerOfRequest } from '../../platform/http/peer.ts'
import { type RequestLike, readHeader, readUserAgent } from '../../platform/http/request-like.ts'
import { requireIpText } from '../../platform/http/request-options.ts'
import { readLanguages } from '../../platform/kit/languages.ts'
import type { CallOptions } from './call-options.ts'

/**
 * Returns the options of a call that serves a request, read as by the endpoints.
 * `import 'latchkey'` loads this file, but not that of the calls.
 */
export function callOptionsOf(
  { rateLimits, security }: Pick<Config, 'rateLimits' | 'security'>,
  request: RequestLike,
  { ip }: { ip?: string | undefined } = {},
): Pick<CallOptions, 'ip' | 'userAgent' | 'languages'> {
  requireIpText(ip)
  const peer = ip ?? peerOfRequest('req' in request ? request.req : request) ?? null
  const client = findClient(
    { header: (name) => readHeader(request, name), peer },
    { ...rateLimits, forwardedFor: security.svcForwardedForEnabled },
  )
  const userAgent = readUserAgent(readHeader(request, 'user-agent'))
  return {
    ...(client.ip !== null && { ip: client.ip }),
    ...(userAgent && { userAgent }),
    languages: readLanguages(readHeader(request, 'accept-language')),
  }
}
