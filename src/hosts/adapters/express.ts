import type { Auth } from '../../service/create-auth.ts'
import { type Lazy, lazily } from './lazy.ts'
import { watchMountPath } from './mount-path.ts'
import { type HttpRequest, type HttpResponse, toNode } from './node.ts'

/** The part of Express's request that is used; of version 4 and 5. */
export interface ExpressRequest extends HttpRequest {
  body?: unknown
  /** The path before a mount removed its own. */
  originalUrl?: string
  /** The path that it removed. */
  baseUrl?: string
}

/** A handler for `app.use`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Mounts Latchkey in an Express app, version 4 or 5. It responds to every request below its mount
 * path. Set that path in `basePath` too: links to the service are built from it. Body parsers may
 * run before or after it.
 *
 * @param auth the service, sessions in cookies, pages of a capability, or a function that returns
 *   one of them.
 * @example app.use('/auth', toExpress(auth))
 */
export function toExpress(
  auth: Lazy<Pick<Auth, 'app'> & { readonly basePath: string | null }>,
): ExpressHandler {
  const handle = toNode(auth)
  const mounted = lazily(auth, (one) => ({ one, noteMountPath: watchMountPath(one) }))
  return (request, response, next) => {
    const { one, noteMountPath } = mounted()
    noteMountPath(request.baseUrl ?? '')
    // If the service has a base path, the mount path is part of its address.
    if (one.basePath && request.originalUrl) request.url = request.originalUrl
    handle(request, response).catch(next)
  }
}
