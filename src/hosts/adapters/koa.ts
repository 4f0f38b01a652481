import type { Auth } from '../../service/create-auth.ts'
import { type Lazy, lazily } from './lazy.ts'
import { isBelow, watchMountPath } from './mount-path.ts'
import { type HttpRequest, type HttpResponse, toNode } from './node.ts'

/** The part of Koa's context that we look at. */
export interface KoaContext {
  readonly req: HttpRequest & { body?: unknown }
  readonly res: HttpResponse
  readonly originalUrl: string
  /** What `koa-mount` has taken away from the address. */
  readonly mountPath?: string
  /** Body parsers leave here what they have read: as text, and as what they made of it. */
  readonly request: { readonly url: string; readonly rawBody?: string; readonly body?: unknown }
  respond?: boolean
}

/** A middleware for `app.use`. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<void>

/**
 * Mounts Latchkey in a Koa app, version 3. It answers every request below `basePath`, and leaves the others to
 * what comes after it. With `koa-mount`, say the mount path in `basePath` too: links to the service are
 * made from there. Body parsers may run before it, after it, or not at all.
 *
 * It writes to Node's response itself: middleware that works on `ctx.body` does not see its answers.
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
    // With a base path of our own, the one that the mount took away is part of the address.
    const url = (one.basePath && isMounted ? originalUrl : req.url) ?? '/'
    if (!isBelow(pathOf(url), one.basePath)) {
      await next()
      return
    }
    req.url = url
    req.body ??= context.request.rawBody ?? context.request.body
    context.respond = false
    await handle(req, res)
  }
}

/** All that mounts have taken away. `mountPath` is what the last of them took. */
function wholeMountPath(originalUrl: string, url: string): string {
  const path = pathOf(originalUrl)
  const rest = pathOf(url)
  return path.endsWith(rest) ? path.slice(0, -rest.length) : path
}

const pathOf = (url: string): string => url.replace(/\?.*$/s, '')
