import { getRequestIP, type H3Event } from 'h3'
import type { AuthContext, Deps } from '../../accounts/auth-context.ts'
import { createContext } from '../../accounts/create-context.ts'
import { linkHost } from '../../delivery/mail/action-link.ts'
import type { Config } from '../../platform/config/config.ts'
import { readUserAgent } from '../../platform/http/request-like.ts'
import { readLanguages } from '../../platform/kit/languages.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { clientOf } from './client-of.ts'

/**
 * Creates the context of a request.
 *
 * @throws AuthError `validation_failed` for an audience that no user can have.
 */
export function openContext(deps: Deps, event: H3Event): AuthContext {
  const { headers } = event.req
  const client = clientOf(deps.config, { headers, ip: getRequestIP(event) })
  return createContext(deps, {
    id: event.context.requestId ?? '',
    ip: client.ip,
    clientKey: client.key,
    userAgent: readUserAgent(headers.get('user-agent')),
    audience: requireShort(headers.get('x-jwt-aud') || deps.config.jwt.audience, 'aud'),
    linkBase: () => readLinkHost(deps.config, event),
    languages: () => readLanguages(headers.get('accept-language')),
    isOver: () => event.context.isOver === true,
    decided: (decision) => {
      event.context.decisions = [...(event.context.decisions ?? []), decision]
    },
  })
}

/** Returns the base URL of links in mails of this request. Two headers of a proxy are read. */
export function readLinkHost(
  config: Pick<Config, 'externalUrl' | 'email'>,
  event: H3Event,
): string {
  const { headers } = event.req
  return linkHost(config, {
    forwardedHost: headers.get('x-forwarded-host'),
    forwardedProto: headers.get('x-forwarded-proto'),
  })
}
