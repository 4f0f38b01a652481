import { randomUUID } from 'node:crypto'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { ConfigError, type ConfigProblem } from '../../platform/errors/start-errors.ts'
import { type AnswerRequest, answering, toResponse } from '../../platform/http/answer.ts'
import { withOptions } from '../../platform/http/request-options.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { type CapabilityServices, capabilityHostOf, type EnterService } from '../capability-host.ts'
import { subscribePages } from './capability.ts'
import { createPagesApp, type PagesSettings } from './pages-app.ts'
import { pagesForm } from './pages-form.ts'
import { usualBasePaths } from './register.ts'
import type { SubscribePages, SubscribePagesOptions } from './subscribe-pages-types.ts'
import { listManager } from './subscriber-lists.ts'

export { SubscribePagesError } from './pages-error.ts'
export type {
  ListManager,
  NewSubscriberList,
  SubscribePages,
  SubscribePagesOptions,
  SubscriberList,
} from './subscribe-pages-types.ts'

/**
 * Creates subscription pages beside a service: title, settings and texts of forms for email
 * addresses, and the lists for subscribers. It opens no connection: the first request does, and
 * creates the tables.
 *
 * @throws ConfigError for invalid base paths and origins; TypeError if `auth` is not the return
 *   value of `createAuth`.
 * @example
 * const pages = createSubscribePages({ auth })
 * app.use('/newsletter', toExpress(pages))
 */
export function createSubscribePages({
  auth,
  basePaths = usualBasePaths,
  cors,
}: SubscribePagesOptions): SubscribePages {
  const settings = checked({ basePaths, origins: cors?.origins ?? [] })
  const host = capabilityHostOf(auth)
  const enter = host.register(subscribePages)
  const answer = answerWith(enter, settings, host.logger)
  const fetch = async (request: Request): Promise<Response> => toResponse(await answer(request))
  // Our own adapters look for this member, which the type does not contain.
  const app = { fetch, [answering]: answer }
  return {
    fetch: (request, options = {}) => fetch(withOptions(request, options)),
    app,
    basePath: null,
    lists: listManager(enter),
    ready: () => enter(async () => {}),
  }
}

/** Creates the function that responds while the service runs, and while it cannot start. */
function answerWith(enter: EnterService, settings: PagesSettings, logger: Logger): AnswerRequest {
  const appOf = memoize((service: CapabilityServices) => createPagesApp(service, settings))
  const form = pagesForm(logger, settings.origins)
  return async (request) => {
    let isRunning = false
    try {
      return await enter((service) => {
        isRunning = true
        return appOf(service)(request)
      })
    } catch (error) {
      const refused = { req: request, context: { requestId: randomUUID() } }
      const isReported = isRunning || error instanceof AuthError
      const reason = isReported ? error : serviceUnavailable('The service is not running', error)
      const answer = form.refuse(reason, refused)
      form.complete(answer, refused)
      return answer
    }
  }
}

function checked({ basePaths, origins }: PagesSettings): PagesSettings {
  const problems: ConfigProblem[] = [
    ...basePaths.flatMap((path, at) =>
      /^(\/[\w.~-]+)*$/.test(path)
        ? []
        : { path: `basePaths[${at}]`, message: 'must be a path such as /api/v2, or empty' },
    ),
    ...origins.flatMap((origin, at) =>
      URL.canParse(origin) && new URL(origin).origin === origin
        ? []
        : {
            path: `cors.origins[${at}]`,
            message: 'must be an origin such as https://shop.example.com, without a path',
          },
    ),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return { basePaths, origins }
}
