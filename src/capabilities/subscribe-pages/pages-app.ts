import { H3, isPreflightRequest } from 'h3'
import { beginRequest, logRequest, noteDecisions } from '../../endpoints/http/request-log.ts'
import { serveInTime } from '../../endpoints/http/serve-in-time.ts'
import { traceRequests } from '../../endpoints/http/trace-requests.ts'
import { notFound } from '../../platform/errors/request-errors.ts'
import { Answer, type AnswerRequest } from '../../platform/http/answer.ts'
import { rejectOtherMethods } from '../../platform/http/other-methods.ts'
import type { CapabilityServices } from '../capability-host.ts'
import { publicListRoute } from './lists.route.ts'
import {
  createPageRoute,
  deletePageRoute,
  getPageRoute,
  listPagesRoute,
  updatePageRoute,
} from './pages.route.ts'
import { allowsOrigin, pagesForm, preflightHeaders } from './pages-form.ts'
import { type Register, registerBelow } from './register.ts'
import { logInRoute, logOutRoute, ownSessionRoute } from './sessions.route.ts'

export interface PagesSettings {
  basePaths: readonly string[]
  origins: readonly string[]
}

/** Registers all endpoints, in reading order. */
function routes(register: Register, service: CapabilityServices): void {
  logInRoute(register, service)
  logOutRoute(register)
  ownSessionRoute(register)
  listPagesRoute(register)
  createPageRoute(register)
  getPageRoute(register)
  updatePageRoute(register)
  deletePageRoute(register)
  publicListRoute(register)
}

/** Creates the endpoints, and the responses for unknown paths. */
export function createPagesEndpoints(
  service: CapabilityServices,
  { basePaths, origins }: PagesSettings,
): H3 {
  const app = new H3({ allowMalformedURL: true })
  routes(registerBelow(app, basePaths, service), service)
  rejectOtherMethods(app, (event, rejection) => {
    if (!isPreflightRequest(event) || !allowsOrigin(origins, event)) throw rejection()
    return new Answer(204, { ...preflightHeaders })
  })
  app.all('/**', () => {
    throw notFound()
  })
  return app
}

/** Creates the function that serves requests while the service runs. */
export function createPagesApp(
  service: CapabilityServices,
  settings: PagesSettings,
): AnswerRequest {
  const { deps } = service
  const endpoints = createPagesEndpoints(service, settings)
  const form = pagesForm(deps.logger, settings.origins)
  const traced = traceRequests({ ...deps, config: { ...deps.config, basePath: '' } })
  return async (request) => {
    const context = beginRequest(deps, request)
    const answer = await traced(request, context, () =>
      serveInTime(deps, endpoints, { request, context, form }),
    )
    logRequest(deps, request, answer, context)
    noteDecisions(deps, request, answer, context)
    return answer
  }
}
