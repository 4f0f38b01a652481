import { ownsPath } from '../companions/subscribe-pages/register.ts'
import { createSubscribePages } from '../companions/subscribe-pages/subscribe-pages.ts'
import type { Config } from '../platform/config/config.ts'
import { type AnswerRequest, answering } from '../platform/http/answer.ts'
import { toResponse } from '../platform/http/to-response.ts'
import type { Auth } from '../service/create-auth.ts'

/**
 * What the server answers with: the endpoints of the service, and beside them, where they are enabled, the subscription
 * pages, whose tables are there by then.
 *
 * @throws what `auth.ready` throws.
 */
export async function withSubscribePages(
  auth: Auth,
  { server: { subscribePagesEnabled, subscribePagesOrigins } }: Pick<Config, 'server'>,
): Promise<Auth['app']> {
  const { app } = auth
  if (!subscribePagesEnabled) return app
  const pages = createSubscribePages({ auth, cors: { origins: subscribePagesOrigins } })
  await pages.ready()
  const [ofPages, ofService] = [answerOf(pages.app), answerOf(app)]
  const answer: AnswerRequest = (request) =>
    ownsPath(request.url) ? ofPages(request) : ofService(request)
  // Its type does not name what our own adapters look for.
  const beside = {
    fetch: async (request: Request) => toResponse(await answer(request)),
    [answering]: answer,
  }
  return beside
}

/** How an app answers without a `Response`. */
export const answerOf = (app: object): AnswerRequest =>
  (app as { [answering]: AnswerRequest })[answering]
