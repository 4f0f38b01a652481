import type { H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import {
  type AnswerAtOnce,
  type ConstantAnswer,
  jsonType,
  type RequestHead,
} from '../../platform/http/answer.ts'
import {
  readRequestId,
  requestIdHeader,
  setCommonHeaders,
} from '../../platform/http/common-headers.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { Constant, HandlerService, Implemented } from './implement.ts'
import { logRequest } from './request-log.ts'

/** The parts of a service that responses of constant endpoints need. */
type Needs = Pick<Deps, 'config' | 'logger' | 'random'>

/**
 * Returns the function that responds to `GET` of constant endpoints before routing. Status, headers
 * and body equal the routed response; only the id of the request differs from one response to the
 * next.
 *
 * Null where requests cause more than a response: spans and metrics, or due tasks in a process that
 * is frozen between requests.
 */
export function createAnswerAtOnce(
  service: HandlerService,
  implemented: readonly Implemented[],
): AnswerAtOnce | null {
  const { config, telemetry } = service.deps
  if (telemetry || config.background.frozenBetweenRequests || config.background.waitUntil)
    return null
  const byTarget = new Map(
    implemented.flatMap(({ endpoint: { path, existsIf }, constant }) =>
      constant && (existsIf?.(config) ?? true)
        ? [[`${config.basePath}${path}`, constant(service)] as const]
        : [],
    ),
  )
  return (request) => {
    const read = request.method === 'GET' ? byTarget.get(request.target) : undefined
    try {
      return read ? answerConstant(service.deps, request, read()) : null
    } catch {
      // The routed request gets the error, and the response to it.
      return null
    }
  }
}

function answerConstant(needs: Needs, request: RequestHead, constant: Constant): ConstantAnswer {
  const startedAt = performance.now()
  const requestId = readRequestId(request.header, needs.config.server.requestIdHeader, needs.random)
  const answer: ConstantAnswer = {
    status: 200,
    headers: [...headersOf(constant), requestIdHeader, requestId],
    body: constant.text,
  }
  const matchedRoute = { route: request.target } as NonNullable<H3EventContext['matchedRoute']>
  logRequest(needs, request, answer, { startedAt, requestId, matchedRoute })
  return answer
}

/** The headers of a constant response, but for the id of the request. */
const headersOf = memoize(({ text, headers = {} }: Constant): string[] => {
  const all: Record<string, string> = { ...headers, 'content-type': jsonType }
  setCommonHeaders({ headers: all }, {})
  delete all[requestIdHeader]
  all['content-length'] = String(Buffer.byteLength(text))
  return Object.entries(all).flat()
})
