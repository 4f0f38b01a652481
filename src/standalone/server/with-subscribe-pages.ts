import type { Config } from '../../platform/config/config.ts'
import { type AnswerRequest, answering, toResponse } from '../../platform/http/answer.ts'
import type { Auth } from '../../service/api/auth.ts'

/**
 * Returns the app that the server runs: the endpoints of the service and, if enabled, the
 * subscription pages, whose code is loaded then. The pages' tables exist when it resolves.
 *
 * @throws the errors of `auth.ready`.
 */
export async function withSubscribePages(
  auth: Auth,
  { server: { subscribePagesEnabled, subscribePagesOrigins } }: Pick<Config, 'server'>,
): Promise<Auth['app']> {
  const { app } = auth
  if (!subscribePagesEnabled) return app
  const [{ createSubscribePages }, { ownsPath }] = await Promise.all([
    import('../../capabilities/subscribe-pages/subscribe-pages.ts'),
    import('../../capabilities/subscribe-pages/register.ts'),
  ])
  const pages = createSubscribePages({ auth, cors: { origins: subscribePagesOrigins } })
  await pages.ready()
  const [ofPages, ofService] = [answerOf(pages.app), answerOf(app)]
  const answer: AnswerRequest = (request) =>
    ownsPath(request.url) ? ofPages(request) : ofService(request)
  answer.atOnce = ofService.atOnce
  // The app's type does not contain the method that Latchkey's adapters use.
  const beside = {
    fetch: async (request: Request) => toResponse(await answer(request)),
    [answering]: answer,
  }
  return beside
}

/** Returns the function by which an app responds without a `Response`. */
export const answerOf = (app: object): AnswerRequest =>
  (app as { [answering]: AnswerRequest })[answering]
