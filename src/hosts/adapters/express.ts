import type { Auth } from '../../service/create-auth.ts'
import { type Lazy, lazily } from './lazy.ts'
import { watchMountPath } from './mount-path.ts'
import { type HttpRequest, type HttpResponse, toNode } from './node.ts'

/** The part of Express's request that we look at; of version 4 and 5. */
export interface ExpressRequest extends HttpRequest {
  body?: unknown
  /** The path before a mount took its own away. */
  originalUrl?: string
  /** What it took away. */
  baseUrl?: string
}

/** A handler for `app.use`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Mounts Latchkey in an Express app, version 4 or 5. It answers every request below its mount path. Say
 * that path in `basePath` too: links to the service are made from there.
 * Body parsers may run before it, after it, or not at all.
 *
 * @param auth the service, sessions in cookies, pages of a companion, or a function that returns one of them.
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
    // With a base path of our own, the one that the mount took away is part of the address.
    if (one.basePath && request.originalUrl) request.url = request.originalUrl
    handle(request, response).catch(next)
  }
}
