import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * A connection that sends one request at a time. It costs a tenth of `fetch`, so that the cores are
 * left to the servers.
 */
export interface Connection {
  /** Sends the bytes of a request and waits for the whole response. */
  send(request: Buffer): Promise<Reply>
  close(): void
}

export interface Reply {
  status: number
  /** Returns the response as received, head and body. */
  text(): string
}

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay(true)
  await once(socket, 'connect')
  let received = Buffer.alloc(0)
  let settle: ((reply: Reply) => void) | undefined
  let fail: ((error: Error) => void) | undefined

  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    if (!isWhole(received)) return
    const reply = received
    received = Buffer.alloc(0)
    settle?.({ status: Number(reply.toString('latin1', 9, 12)), text: () => reply.toString() })
  })
  socket.on('error', (error) => fail?.(error))
  socket.on('close', () => fail?.(new Error(`the server closed the connection: ${received}`)))

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        settle = resolve
        fail = reject
        socket.write(request)
      }),
    close: () => {
      fail = undefined
      socket.destroy()
    },
  }
}

/** Returns whether a response is complete, by its length or its last chunk. */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase()
  const bodyAt = headEnd + 4
  if (head.includes('transfer-encoding: chunked')) {
    return bytes.subarray(-5).toString('latin1') === '0\r\n\r\n'
  }
  const [, length = '0'] = /content-length: (\d+)/.exec(head) ?? []
  return bytes.length >= bodyAt + Number(length)
}

/** Returns the bytes of a request. */
export function encodeRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Buffer {
  const isForm = body instanceof URLSearchParams
  const text = isForm ? body.toString() : body ? JSON.stringify(body) : ''
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const all = {
    ...headers,
    ...(body && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}
