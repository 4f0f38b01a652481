import { getRequestIP, type H3Event } from 'h3'
import { type AuthContext, createContext, type Deps } from '../deps.ts'
import { requireShort } from '../kit/require-short.ts'
import { findClient } from '../limits/client-address.ts'
import { readLanguages } from './read-languages.ts'
import { readLinkHost } from './read-link-host.ts'
import { receiveBody } from './read-text.ts'

/** As much of it is stored with each session: browsers write 100 to 200 characters. */
const maxUserAgentLength = 512

/**
 * Begins the context of a request.
 *
 * @throws AuthError `validation_failed` for an audience that no user could be stored in.
 */
export function openContext(deps: Deps, event: H3Event): AuthContext {
  const { headers } = event.req
  const { rateLimits, security, jwt } = deps.config
  const client = findClient(
    { header: (name) => headers.get(name), peer: getRequestIP(event) ?? null },
    { ...rateLimits, forwardedFor: security.svcForwardedForEnabled },
  )
  return createContext(deps, {
    id: event.context.requestId ?? '',
    ip: client.ip,
    clientKey: client.key,
    userAgent: headers.get('user-agent')?.slice(0, maxUserAgentLength) || null,
    audience: requireShort(headers.get('x-jwt-aud') || jwt.audience, 'aud'),
    linkBase: () => readLinkHost(deps.config, event),
    languages: () => readLanguages(headers.get('accept-language')),
    arrived: () => receiveBody(event),
  })
}
