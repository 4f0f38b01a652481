import { withoutTrailingSlashes } from '../../platform/kit/trailing-slashes.ts'
import type { Auth } from '../../service/api/auth.ts'
import { type Lazy, lazily } from './lazy.ts'
import { watchMountPath } from './mount-path.ts'
import { type HttpRequest, type HttpResponse, toNode } from './node.ts'

/** The part of Fastify's request that is used. */
export interface FastifyRequest {
  readonly raw: HttpRequest
}

/** The part of Fastify's reply that is used. */
export interface FastifyReply {
  readonly raw: HttpResponse & {
    setHeader(name: string, value: string | readonly string[]): unknown
  }
  getHeaders(): Record<string, string | number | readonly string[] | undefined>
  hijack(): unknown
}

/** The part of Fastify's instance that is used. */
export interface FastifyScope {
  readonly prefix: string
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown
  all(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => unknown): unknown
}

/** A plugin for `app.register`. */
export type FastifyPlugin = (scope: FastifyScope, options: object, done: () => void) => void

/**
 * Mounts Latchkey in a Fastify app, version 5. It responds to every request below the `prefix` that
 * it is registered with. Set that path in `basePath` too: links to the service are built from it.
 *
 * Hooks of the application run before it, and the headers that they set are sent. It writes to
 * Node's response itself, so `onSend` hooks do not receive its responses.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example app.register(toFastify(auth), { prefix: '/auth' })
 */
export function toFastify(auth: Lazy<Pick<Auth, 'app' | 'basePath'>>): FastifyPlugin {
  const handle = toNode(auth)
  const mounted = lazily(auth, (one) => ({ one, noteMountPath: watchMountPath(one) }))
  return (scope, _options, done) => {
    const mountPath = withoutTrailingSlashes(scope.prefix)
    if (typeof auth !== 'function') mounted().noteMountPath(mountPath)
    const answer = async ({ raw: request }: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const { one, noteMountPath } = mounted()
      noteMountPath(mountPath)
      // Without a base path, the prefix is not part of the address.
      if (!one.basePath) request.url = request.url?.slice(mountPath.length).replace(/^\/?/, '/')
      reply.hijack()
      copyHeaders(reply)
      await handle(request, reply.raw)
    }
    leaveBodiesUnread(scope)
    scope.all('/', answer)
    scope.all('/*', answer)
    done()
  }
}

/** Removes the application's parsers in this scope; its own routes keep them. */
function leaveBodiesUnread(scope: FastifyScope): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/**
 * Copies the headers that hooks set, such as those of Helmet. Fastify itself sends them only with
 * its own responses.
 */
function copyHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined)
      reply.raw.setHeader(name, typeof value === 'number' ? `${value}` : value)
  }
}
