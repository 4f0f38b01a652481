import { H3, type H3Event, type H3Route } from 'h3'
import type { Deps } from '../accounts/auth-context.ts'
import { createAnswerAtOnce } from '../endpoints/http/answer-at-once.ts'
import { type Endpoint, routeOf } from '../endpoints/http/endpoint.ts'
import { pageOutsideRouter, withErrorPage } from '../endpoints/http/error-pages.ts'
import type { HandlerService, Implemented, OnOnePath } from '../endpoints/http/implement.ts'
import { developerRoot } from '../endpoints/http/local-access.ts'
import { beginRequest, logRequest, noteDecisions } from '../endpoints/http/request-log.ts'
import { serveInTime } from '../endpoints/http/serve-in-time.ts'
import { traceRequests } from '../endpoints/http/trace-requests.ts'
import { watchCookieClients } from '../endpoints/http/watch-cookie-clients.ts'
import { watchProxyHeader } from '../endpoints/http/watch-proxy-header.ts'
import { issuerOf } from '../platform/config/issuer-of.ts'
import { notFound } from '../platform/errors/request-errors.ts'
import type { AnswerAtOnce, AnswerRequest } from '../platform/http/answer.ts'
import { authForm } from '../platform/http/answer-request.ts'
import { allowAnyOrigin, sameOriginOnly } from '../platform/http/cors.ts'
import { rejectOtherMethods } from '../platform/http/other-methods.ts'
import { warnOfWrongMount } from '../platform/http/warn-of-wrong-mount.ts'
import { pathBelow } from '../platform/kit/trailing-slashes.ts'
import type { AddPages } from './api/pages-service.ts'
import { endpoints, implementations, registry } from './endpoints.ts'
import { confirmLinkPresenter } from './pages/confirm-link/confirm-link-page.ts'
import { confirmLinkingPresenter } from './pages/confirm-link/confirm-linking-page.ts'

/** The service that the handlers of the endpoints share. */
export const serviceOf = (deps: Deps): HandlerService => ({
  deps,
  pages: {
    confirmLink: confirmLinkPresenter(deps),
    confirmLinking: confirmLinkingPresenter(deps),
    error: null,
  },
})

/** Routes the endpoints of the registry that the configuration adds. */
function addEndpoints(app: H3, service: HandlerService, addPages: AddPages): void {
  for (const one of registry) {
    const { method, path, existsIf } = endpointOf(one)
    if (existsIf && !existsIf(service.deps.config)) continue
    app.on(method, routeOf(path), one.open(service))
    if ('head' in one && one.head) app.head(routeOf(path), one.head)
  }
  addPages(app, service.pages)
}

const endpointOf = (one: Implemented | OnOnePath): Endpoint =>
  'members' in one ? one.members[0].endpoint : one.endpoint

/** The HTTP interface of a running service. */
export interface App {
  answer: AnswerRequest
  /** Null where every request is routed. */
  answerAtOnce: AnswerAtOnce | null
}

/**
 * Creates the HTTP interface: the endpoints and pages, with log, traces and deadline of each
 * request.
 */
export function createApp(deps: Deps, addPages: AddPages = () => {}): App {
  const service = serviceOf(deps)
  const router = createEndpoints(service, addPages)
  const form = authForm(deps.logger)
  const traced = traceRequests(deps, endpoints)
  const noteCookieClient = watchCookieClients(deps.logger)
  const noteProxyHeader = watchProxyHeader(deps)
  return {
    answerAtOnce: createAnswerAtOnce(service, implementations),
    answer: async (request) => {
      const context = beginRequest(deps, request)
      const answer = await traced(request, context, () =>
        serveInTime(deps, router, {
          request,
          context,
          form,
          page: (error) => pageOutsideRouter(service, router, { request, context }, error),
        }),
      )
      logRequest(deps, request, answer, context)
      noteDecisions(deps, request, answer, context)
      noteCookieClient(request, answer)
      noteProxyHeader(request, context)
      return answer
    },
  }
}

/** Routes to be mounted. h3 would also build a search tree of their own, which nothing reads. */
class MountedRoutes extends H3 {
  override '~addRoute'(route: H3Route): void {
    this['~routes'].push(route)
  }
}

/** @see RFC 8615 §3 */
const wellKnown = '/.well-known'

/**
 * Creates the router of the documents that clients request at the root of the host, followed by the
 * path of the service: that of the mount, or of the issuer where a proxy removes it.
 *
 * @see RFC 8414 §3.1, RFC 9728 §3.1
 */
function endpointsAtRoot(service: HandlerService): H3 {
  const { config } = service.deps
  const router = new MountedRoutes()
  const places = new Set(
    [config.basePath, pathBelow(issuerOf(config))].filter((path) => path !== ''),
  )
  for (const one of registry) {
    const { isAtRoot, method, path } = endpointOf(one)
    if (!isAtRoot) continue
    const serve = one.open(service)
    for (const place of places) router.on(method, `${path.slice(wellKnown.length)}${place}`, serve)
  }
  return router
}

/** Creates the router of the endpoints below the base path; any other path is not found. */
export function createEndpoints(service: HandlerService, addPages: AddPages = () => {}): H3 {
  const { config, logger, developerToken } = service.deps
  // A path that cannot be decoded is not found. By default h3 responds to it before the handlers below run.
  const app = new H3({ allowMalformedURL: true })
  if (developerToken !== null) {
    app.use(`${config.basePath}${developerRoot}/**`, sameOriginOnly)
  }
  const answerPreflight = allowAnyOrigin(config.server.cors.allowedHeaders)

  const router = new MountedRoutes()
  addEndpoints(router, service, addPages)
  rejectOtherMethods(router, answerPreflight)
  app.mount(config.basePath, router)
  const atRoot = endpointsAtRoot(service)
  rejectOtherMethods(atRoot, answerPreflight)
  app.mount(wellKnown, atRoot)
  const paths = router['~routes'].map(({ route }) => route ?? '')
  const hint = warnOfWrongMount(logger, config.basePath, [...new Set(paths)])
  const rejectPath = (event: H3Event) =>
    answerPreflight(event, () => {
      // The host may serve documents of others there.
      if (!event.url.pathname.startsWith(`${wellKnown}/`)) hint(event.url.pathname)
      return notFound()
    })
  app.all('/**', withErrorPage(service, rejectPath))
  return app
}
