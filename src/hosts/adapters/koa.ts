import { isBelow } from '../../platform/kit/is-below.ts'
import type { Auth } from '../../service/api/auth.ts'
import { type Lazy, lazily } from './lazy.ts'
import { isRootDocument, watchMountPath } from './mount-path.ts'
import { type HttpRequest, type HttpResponse, toNode } from './node.ts'

/** The part of Koa's context that is used. */
export interface KoaContext {
  readonly req: HttpRequest & { body?: unknown }
  readonly res: HttpResponse
  readonly originalUrl: string
  /** The path that `koa-mount` has removed from the address. */
  readonly mountPath?: string
  /** Body parsers store the text and the parsed value here. */
  readonly request: { readonly url: string; readonly rawBody?: string; readonly body?: unknown }
  respond?: boolean
}

/** A middleware for `app.use`. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>

/**
 * Mounts Latchkey in a Koa app, version 3. It responds to every request below `basePath`, and to
 * those for its documents at the root of the host, and passes the others on. With `koa-mount`, set
 * the mount path in `basePath` too: links to the service are built from it. Body parsers may run
 * before or after it.
 *
 * It writes to Node's response itself: middleware that uses `ctx.body` does not receive its
 * responses.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example app.use(toKoa(auth))
 */
export function toKoa(auth: Lazy<Pick<Auth, 'app' | 'basePath'>>): KoaMiddleware {
  const handle = toNode(auth)
  const mounted = lazily(auth, (one) => ({ one, noteMountPath: watchMountPath(one) }))
  return async (context, next) => {
    const { req, res, originalUrl, mountPath } = context
    const { one, noteMountPath } = mounted()
    const isMounted = mountPath !== undefined
    if (isMounted) noteMountPath(wholeMountPath(originalUrl, req.url ?? ''))
    // If the service has a base path, the mount path is part of its address.
    const url = (one.basePath && isMounted ? originalUrl : req.url) ?? '/'
    const path = pathOf(url)
    if (!isBelow(path, one.basePath) && !isRootDocument(path, one.basePath)) {
      await next()
      return
    }
    req.url = url
    req.body ??= context.request.rawBody ?? context.request.body
    context.respond = false
    await handle(req, res)
  }
}

/**
 * Returns the part of the path that all mounts have removed. `mountPath` contains only that of the
 * last.
 */
function wholeMountPath(originalUrl: string, url: string): string {
  const path = pathOf(originalUrl)
  const rest = pathOf(url)
  return path.endsWith(rest) ? path.slice(0, -rest.length) : path
}

/**
 * Returns the path of a request target. A client may send a URL in place of it. Dots stay, as in
 * Koa's path, by which middleware before this one may have rejected the request.
 *
 * @see RFC 9112 §3.2.2
 */
const pathOf = (target: string): string =>
  target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/\?.*$/s, '')
