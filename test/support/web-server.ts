import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface Heard {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
}

export type ServerAnswer = (response: ServerResponse, heard: Heard) => void

export interface WebServer {
  /** The URL, such as `http://127.0.0.1:34567`. */
  url: string
  port: number
  heard: Heard[]
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a server on a socket, with or without TLS, that records requests and returns the responses
 * of the test.
 */
export async function startWebServer(
  answer: ServerAnswer,
  tls?: { key: string; cert: string },
): Promise<WebServer> {
  const heard: Heard[] = []
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, text: Buffer.concat(chunks).toString() }
    heard.push(one)
    answer(response, one)
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    heard,
    close,
    [Symbol.asyncDispose]: close,
  }
}

export const answerJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): ServerAnswer =>
  (response) =>
    response.writeHead(status, headers).end(body)
