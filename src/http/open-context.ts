import { getRequestIP, type H3Event } from 'h3'
import { type AuthContext, createContext, type Deps } from '../deps.ts'
import { clientAddress } from '../limits/client-address.ts'
import { requestIdHeader } from './request-id.ts'

/** Begins the context of a request. */
export function openContext(deps: Deps, event: H3Event): AuthContext {
  const { headers } = event.req
  return createContext(deps, {
    id: event.res.headers.get(requestIdHeader) ?? '',
    ip: clientAddress(getRequestIP(event)),
    userAgent: headers.get('user-agent') || null,
    audience: headers.get('x-jwt-aud') || deps.config.jwt.audience,
  })
}
