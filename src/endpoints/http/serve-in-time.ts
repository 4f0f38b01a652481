import type { H3, H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { requestTimeout, tooManyRequests } from '../../platform/errors/request-errors.ts'
import type { Answer } from '../../platform/http/answer.ts'
import {
  type AnswerForm,
  answerRequest,
  withoutBodyForHead,
} from '../../platform/http/answer-request.ts'
import { endRequest, withinDeadline } from '../../platform/http/request-deadline.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'
import { pathOfClient } from '../../platform/kit/client-scope.ts'
import { clientOf } from './client-of.ts'

interface Served {
  request: ServiceRequest
  context: H3EventContext
  form: AnswerForm
  /** Returns the page of an error; null for a request that gets no page. Default: none. */
  page?(error: AuthError): Answer | null
}

/**
 * Serves a request by its endpoint, unless it exceeds its time limit, or too many requests are
 * being served.
 */
export function serveInTime(
  { config, requestsInFlight }: Pick<Deps, 'config' | 'requestsInFlight'>,
  endpoints: H3,
  { request, context, form, page }: Served,
): Promise<Answer> {
  const end = (error: AuthError): Answer => {
    endRequest(context)
    const refused = { req: request, context }
    const answer = withoutBodyForHead(refused, page?.(error) ?? form.refuse(error, refused))
    form.complete(answer, refused)
    return answer
  }
  const timeoutMs = config.server.requestTimeoutSeconds * 1000
  return requestsInFlight({
    path: () => pathOfClient({ clientKey: clientOf(config, request).key }),
    serve: () =>
      withinDeadline(answerRequest(endpoints, request, { form, context }), timeoutMs, () =>
        end(requestTimeout()),
      ),
    reject: () => end(tooManyRequests()),
  })
}
