import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import {
  type AnswerRequest,
  answering,
  type ConstantAnswer,
  type RequestHead,
} from '../../platform/http/answer.ts'
import { answerWithoutRuntime } from '../../platform/http/answer-outside-app.ts'
import { maxBodyBytes } from '../../platform/http/body-limit.ts'
import { disconnectedPeer, peerOfSocket } from '../../platform/http/peer.ts'
import { stderrLogger } from '../../platform/observability/logger.ts'
import type { Auth } from '../../service/api/auth.ts'
import { handleByFetch, loadSrvx, type NodeHandle } from './handle-by-fetch.ts'
import { type Lazy, lazily } from './lazy.ts'
import { NodeRequest } from './node-request.ts'
import { isLost, isParsed, replay, watchLostBody } from './parsed-body.ts'
import { sendAnswer } from './send-answer.ts'

/**
 * A request of `node:http` or `node:http2`, declared without Node's types, which a host may lack.
 */
export interface HttpRequest {
  readonly httpVersion: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  method?: string | undefined
  url?: string | undefined
}

/** The response to it. */
export interface HttpResponse {
  statusCode: number
  writeHead(status: number, headers?: { [name: string]: string | number }): unknown
  end(body: string): unknown
}

/** Handles requests of `node:http`, and of every host that passes on its two objects. */
export type NodeHandler = (request: HttpRequest, response: HttpResponse) => Promise<void>

/**
 * Mounts Latchkey in a server of `node:http`.
 *
 * It responds to every request. To share a server, set `basePath` and pass on the requests below
 * it. Body parsers may have run before it, such as those of Express and Nest, which store their
 * result in `request.body`.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example createServer(toNode(auth)).listen(8081)
 */
export function toNode(auth: Lazy<Pick<Auth, 'app'>>): NodeHandler {
  const handling = lazily(auth, handlerOf)
  // Before the host replaces the classes of the Fetch standard.
  if (typeof auth === 'object' && !(answering in auth.app)) void loadSrvx()
  const noteLostBody = watchLostBody()
  const answerNode: NodeHandle = async (request, response) => {
    // Its client cannot be identified any more, and receives no response.
    if (peerOfSocket(request.socket) === disconnectedPeer) {
      response.destroy()
      return
    }
    if (isLost(request)) noteLostBody()
    if (mayBeTooMuchToReadOn(request)) response.shouldKeepAlive = false
    const handle = handlerOrRejection(handling)
    await handle(isParsed(request) ? replay(request) : request, response)
    endUnreadStream(request)
    // A body that a host's parser has read has no such mark.
    if (request.complete === false && request.httpVersionMajor === 1) readOnForAWhile(request)
  }
  return answerNode as unknown as NodeHandler
}

/**
 * Returns a handler, also if the service cannot be created. A handler of node:http must not reject:
 * the process would end.
 */
function handlerOrRejection(handling: () => NodeHandle): NodeHandle {
  try {
    return handling()
  } catch (error) {
    return async (req, res) =>
      sendAnswer(res, answerWithoutRuntime(stderrLogger, error, new NodeRequest({ req, res })))
  }
}

function handlerOf({ app }: Pick<Auth, 'app'>): NodeHandle {
  const { [answering]: answer } = app as { [answering]?: AnswerRequest }
  // A wrapper that a host has put around `fetch` must still be called.
  if (!answer) return handleByFetch(app)
  return async (req, res) => {
    const constant = req.httpVersionMajor === 1 ? answer.atOnce?.(headOf(req)) : null
    if (constant) sendConstant(res, constant)
    else await sendAnswer(res, await answer(new NodeRequest({ req, res })))
  }
}

const headOf = ({ method = '', url = '', headers }: IncomingMessage): RequestHead => ({
  method,
  target: url,
  header: (name) => headers[name.toLowerCase()]?.toString() ?? null,
})

function sendConstant(response: ServerResponse, { status, headers, body }: ConstantAnswer): void {
  if (response.headersSent) return
  response.writeHead(status, headers)
  response.end(body)
}

/** @see RFC 9113 §7 */
const noError = 0

/**
 * Closes the stream of a request whose client may still send after the response, since its data are
 * not read. @see RFC 9113 §8.1
 */
function endUnreadStream(
  request: IncomingMessage & Partial<Pick<Http2ServerRequest, 'stream'>>,
): void {
  if (request.readableEnded || !request.stream) return
  request.stream.close(noError)
  // Data received before would keep it open.
  request.resume()
}

/**
 * Reports whether to close the connection with the response. Node otherwise reads the rest of a
 * body after an early response, so that the client receives the error. The connection is closed if
 * the length is unknown or too large.
 */
const mayBeTooMuchToReadOn = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length']) > maxUnreadBodyBytes

const maxUnreadBodyBytes = 16 * maxBodyBytes

/**
 * How long the rest of a body is read after the response, so that its sender can read the response.
 */
const lingerMs = 3_000

/**
 * Discards the rest of a body for this time: one that is sent slowly would otherwise keep its
 * connection for minutes. A partly read request is paused before.
 */
function readOnForAWhile(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref()
  request.once('close', () => clearTimeout(timer))
}
