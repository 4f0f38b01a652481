import { findClient } from '../../limits/client-address.ts'
import type { Config } from '../../platform/config/config.ts'
import { type RequestLike, readHeader, readUserAgent } from '../../platform/http/request-like.ts'
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
  const peer = ip ?? peerOf('req' in request ? request.req : request)
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

/**
 * Returns the address of the peer. The socket has precedence: hosts may derive `ip` from headers
 * that any client can send.
 */
function peerOf(request: {
  readonly headers: unknown
  readonly ip?: unknown
  readonly socket?: { readonly remoteAddress?: unknown } | null
}): string | null {
  const peer = request.socket?.remoteAddress ?? request.ip
  return typeof peer === 'string' ? peer : null
}
