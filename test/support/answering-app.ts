import type { H3 } from 'h3'
import { answering, toResponse } from '../../src/platform/http/answer.ts'
import { answerRequest, authForm } from '../../src/platform/http/answer-request.ts'
import { silentLogger } from '../../src/platform/observability/logger.ts'

/** Creates an app of some endpoints, which respond as in the service. */
export function answeringApp(endpoints: H3): { fetch(request: Request): Promise<Response> } {
  const answer = (request: Request) =>
    answerRequest(endpoints, request, { form: authForm(silentLogger), context: {} })
  const fetch = async (request: Request) => toResponse(await answer(request))
  const app = { fetch, [answering]: answer }
  return app
}
