import { watchPeers } from '../limits/watch-peers.ts'
import type { Config } from '../platform/config/config.ts'
import {
  type Answer,
  type AnswerAtOnce,
  type AnswerRequest,
  toResponse,
} from '../platform/http/answer.ts'
import { answerFault, answerWithoutRuntime } from '../platform/http/answer-outside-app.ts'
import { peerOfRequest } from '../platform/http/peer.ts'
import { type RequestOptions, waitUntilOf, withOptions } from '../platform/http/request-options.ts'
import type { ServiceRequest } from '../platform/http/service-request.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import type { LazyRuntime } from './lazy-runtime.ts'

/** The functions by which hosts pass requests to a service. */
interface RequestHandlers {
  /** For our adapters, which write the response themselves. */
  answer: AnswerRequest
  /** For hosts that pass standard requests. */
  fetch(request: Request): Promise<Response>
}

interface Needs {
  config: Config
  logger: Logger
  runtime: Pick<LazyRuntime, 'use' | 'live'>
  /** Whether a host that supplies no address of the peer is reported. Default: true. */
  watchesPeers: boolean | undefined
}

/**
 * Returns the functions that respond to requests. The first request starts the runtime.
 */
export function createRequestHandlers({
  config,
  logger,
  runtime,
  watchesPeers,
}: Needs): RequestHandlers {
  const answerRouted = async (request: ServiceRequest): Promise<Answer> => {
    let isRunning = false
    const scope = { waitUntil: waitUntilOf(request), isAwaited: true }
    try {
      return await runtime.use(({ app }) => {
        isRunning = true
        return app.answer(request)
      }, scope)
    } catch (error) {
      const respond = isRunning ? answerFault : answerWithoutRuntime
      return respond(logger, error, request)
    }
  }
  const atOnce: AnswerAtOnce = (request) => runtime.live?.app.answerAtOnce?.(request) ?? null
  const answer: AnswerRequest = Object.assign(answerRouted, { atOnce })
  const notePeer = watchPeers(
    { header: config.rateLimits.header, forwardedFor: config.security.svcForwardedForEnabled },
    // In development, clients that cannot be identified count as one, and in tests no client is
    // behind a request.
    config.development || watchesPeers === false ? silentLogger : logger,
  )
  return {
    answer,
    fetch: async (request) => {
      const ip = peerOfRequest(request)
      notePeer(ip)
      const isKnown = ip === (request as RequestOptions).ip
      return toResponse(await answer(isKnown ? request : withOptions(request, { ip })))
    },
  }
}
