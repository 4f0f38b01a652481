import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest } from 'node:http2'
import { NodeRequest, toNodeHandler } from 'srvx/node'
import { type AnswerRequest, answering } from '../../platform/http/answer.ts'
import { answerWithoutRuntime } from '../../platform/http/answer-outside-app.ts'
import { maxBodyBytes } from '../../platform/http/body-limit.ts'
import { stderrLogger } from '../../platform/observability/logger.ts'
import type { Auth } from '../../service/create-auth.ts'
import { type Lazy, lazily } from './lazy.ts'
import { isLost, isParsed, replay, watchLostBody } from './parsed-body.ts'
import { sendAnswer } from './send-answer.ts'

/** A request of `node:http` or `node:http2`, told without Node's types, which a host may lack. */
export interface HttpRequest {
  readonly httpVersion: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  method?: string | undefined
  url?: string | undefined
}

/** Its answer. */
export interface HttpResponse {
  statusCode: number
  writeHead(status: number, headers?: { [name: string]: string | number }): unknown
  end(body?: string): unknown
}

/** Handles requests of `node:http`, and of whatever hands on its two objects. */
export type NodeHandler = (request: HttpRequest, response: HttpResponse) => Promise<void>

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Mounts Latchkey in a server of `node:http`.
 *
 * It answers every request that it is given. To share a server, set `basePath` and hand over what is
 * below it. Body parsers may have run before it, such as those of Express and Nest, which leave in
 * `request.body` what they have read.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example createServer(toNode(auth)).listen(8081)
 */
export function toNode(auth: Lazy<Pick<Auth, 'app'>>): NodeHandler {
  const handling = lazily(auth, handlerOf)
  const noteLostBody = watchLostBody()
  const answerNode: Handle = async (request, response) => {
    if (isLost(request)) noteLostBody()
    if (mayBeTooMuchToReadOn(request)) response.shouldKeepAlive = false
    const handle = handlerOrRefusal(handling)
    await handle(isParsed(request) ? replay(request) : request, response)
    endUnreadStream(request)
    // Of a body that a host's parser has read, nothing says so.
    if (request.complete === false && request.httpVersionMajor === 1) readOnForAWhile(request)
  }
  return answerNode as unknown as NodeHandler
}

/** A service may fail to be made. Nobody looks at what a handler of node:http rejects with: the process would end. */
function handlerOrRefusal(handling: () => Handle): Handle {
  try {
    return handling()
  } catch (error) {
    return async (req, res) =>
      sendAnswer(res, answerWithoutRuntime(stderrLogger, error, new NodeRequest({ req, res })))
  }
}

function handlerOf({ app }: Pick<Auth, 'app'>): Handle {
  const { [answering]: answer } = app as { [answering]?: AnswerRequest }
  // What a host has put around `fetch` is to be asked all the same.
  return answer
    ? async (req, res) => sendAnswer(res, await answer(new NodeRequest({ req, res })))
    : (toNodeHandler(app.fetch) as Handle)
}

/**
 * Over HTTP/2 a client may go on sending after its answer. Nobody reads that, so the stream is closed,
 * as RFC 9113 §8.1 has it.
 */
function endUnreadStream(
  request: IncomingMessage & Partial<Pick<Http2ServerRequest, 'stream'>>,
): void {
  if (request.readableEnded || !request.stream) return
  request.stream.close(constants.NGHTTP2_NO_ERROR)
  // What was received by then would keep it open.
  request.resume()
}

/**
 * Node reads on past an answer that came before the end of the body, so that a client still sending
 * it learns of the refusal. Where nobody says how much is to come, or it is too much to read for
 * nothing, the connection ends with the answer instead.
 */
const mayBeTooMuchToReadOn = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length']) > maxUnreadBodyBytes

const maxUnreadBodyBytes = 16 * maxBodyBytes

/** How long a body may go on whose request is answered, so that its sender gets to read the answer. */
const lingerMs = 3_000

/**
 * Discards the rest of a body, for so long: one that comes in drops would otherwise keep its connection for minutes. A
 * request of which a part was read is paused until then.
 */
function readOnForAWhile(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref()
  request.once('close', () => clearTimeout(timer))
}
