import type { RequestLike } from '../../platform/http/request-like.ts'
import type { CookieHost } from './cookie-host.ts'

/** The client of a request: the options of calls that serve it. */
export type RequestClient = ReturnType<CookieHost['auth']['callOptions']>

/** Returns the client of a request, identified as by the endpoints. */
export const clientOf = (
  { auth }: CookieHost,
  request: RequestLike,
  ip: string | undefined,
): RequestClient => auth.callOptions(request, { ip })
