import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler } from 'h3'
import type { Auth } from '../create-auth.ts'
import { maxBodyBytes } from '../http/body-limit.ts'

/** Handles requests of `node:http`, and of whatever hands on its two objects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Mounts Latchkey in a server of `node:http`.
 *
 * It answers every request that it is given. To share a server, set `basePath` and hand over what is
 * below it.
 *
 * @example createServer(toNode(auth)).listen(8081)
 */
export function toNode({ app }: Pick<Auth, 'app'>): NodeHandler {
  const handle = toNodeHandler(app as Parameters<typeof toNodeHandler>[0])
  return async (request, response) => {
    if (mayBeRefusedUnread(request)) response.shouldKeepAlive = false
    await handle(request, response)
  }
}

/**
 * A body over the limit is refused before its end. What is still on its way would be taken for the
 * next request, so the connection ends with the answer.
 */
const mayBeRefusedUnread = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > maxBodyBytes
