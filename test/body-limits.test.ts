import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { type ServedCommand, serve } from './support/serve.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'
import { waitFor } from './support/wait-for.ts'

const mebibyte = 1_048_576

/** The response to a body of unknown length, and the number of bytes that were read of it. */
interface Flooded {
  status: number
  code: string
  takenBytes: number
}

type Flood = (path: string, headers: Record<string, string>) => Promise<Flooded>

let auth: TestAuth
let served: ServedCommand
let servedByHttp2: ServedCommand
/** The streams that our server has not closed. */
const openStreams = new Set<object>()

beforeAll(async () => {
  auth = await startTestAuth({ links: { confirm: 'button' } })
  served = await serve(toNode(auth.auth))
  servedByHttp2 = await serveByHttp2()
})
afterAll(async () => {
  await served.close()
  await servedByHttp2.close()
  await auth.close()
})

async function serveByHttp2(): Promise<ServedCommand> {
  const handle = toNode(auth.auth)
  const server = createServer((request, response) => {
    openStreams.add(request.stream)
    request.stream.once('close', () => openStreams.delete(request.stream))
    void handle(request as never, response as never)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => void server.close()
  return { url: `http://127.0.0.1:${port}`, port, close }
}

/** Returns 32 MiB of white space, which is valid for parsers of JSON and of forms. */
function endless(): { body: Readable; takenBytes(): number } {
  const chunk = Buffer.alloc(65_536, ' ')
  let chunks = 0
  const body = new Readable({
    highWaterMark: 1,
    read() {
      chunks += 1
      this.push(chunks <= 512 ? chunk : null)
    },
  })
  return { body, takenBytes: () => chunks * chunk.length }
}

const codeIn = (text: string): string => JSON.parse(text || '{}').error_code ?? ''

const overHttp2: Flood = async (path, headers) => {
  const client = connect(servedByHttp2.url)
  const stream = client.request({ ':method': 'POST', ':path': path, ...headers })
  const { body, takenBytes } = endless()
  body.pipe(stream)
  stream.on('error', () => {})
  const [answer] = await once(stream, 'response')
  let text = ''
  stream.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  await once(stream, 'end')
  // The client has not finished, but the server does not wait for the rest.
  await waitFor(() => expect(openStreams.size).toBe(0))
  body.unpipe()
  client.destroy()
  return { status: Number(answer[':status']), code: codeIn(text), takenBytes: takenBytes() }
}

const overHttp1: Flood = async (path, headers) => {
  const request = httpRequest(`${served.url}${path}`, { method: 'POST', headers })
  const { body, takenBytes } = endless()
  body.pipe(request)
  request.on('error', () => {})
  const [answer] = await once(request, 'response')
  let text = ''
  for await (const part of answer.setEncoding('utf8')) text += part
  request.destroy()
  return { status: answer.statusCode, code: codeIn(text), takenBytes: takenBytes() }
}

const byFetch: Flood = async (path, headers) => {
  const { body, takenBytes } = endless()
  const stream = Readable.toWeb(body) as ReadableStream
  const init = { method: 'POST', headers, body: stream, duplex: 'half' } as const
  const answer = await auth.auth.fetch(new Request(`http://auth.test${path}`, init))
  return { status: answer.status, code: codeIn(await answer.text()), takenBytes: takenBytes() }
}

describe.each<[string, Flood]>([
  ['HTTP/2', overHttp2],
  ['HTTP/1.1, in chunks', overHttp1],
  ['auth.fetch, as a stream', byFetch],
])('H19: a body that never says its length, over %s', (_, flood) => {
  it.each([
    ['JSON', '/signup', { 'content-type': 'application/json' }],
    ['a form', '/verify', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('is rejected above the limit: %s', async (_, path, headers) => {
    const { status, code, takenBytes } = await flood(path, headers)

    expect([status, code]).toEqual([413, 'request_entity_too_large'])
    // The limit, and the buffers of sockets.
    expect(takenBytes).toBeLessThan(8 * mebibyte)
  })
})

it('H19: serves HTTP/2 as usual, with a length and without', async () => {
  const client = connect(servedByHttp2.url)
  const signUp = async (email: string, declaresLength: boolean) => {
    const body = JSON.stringify({ email, password: 'correct horse' })
    const length = declaresLength ? { 'content-length': String(body.length) } : {}
    const stream = client.request({ ':method': 'POST', ':path': '/signup', ...length })
    stream.end(body)
    const [answer] = await once(stream, 'response')
    stream.resume()
    return answer[':status']
  }

  const statuses = [await signUp('ada@example.test', true), await signUp('bob@example.test', false)]
  client.destroy()

  expect(statuses).toEqual([200, 200])
})

it.each([
  ['a rejected body', 'POST', '/signup', 413],
  ['a missing token', 'PUT', '/user', 401],
  ['a response to HEAD', 'HEAD', '/user', 401],
  ['a preflight', 'OPTIONS', '/user', 204],
])(
  'N16: closes an HTTP/2 stream after %s while the client still sends',
  async (_, method, path, status) => {
    const client = connect(servedByHttp2.url)
    const preflight = { origin: 'http://127.0.0.1', 'access-control-request-method': 'PUT' }
    const headers = { ':method': method, ':path': path, ...preflight }
    const stream = client.request(headers, { endStream: false })
    stream.write(Buffer.alloc(100_000, ' '))

    const [answer] = await once(stream, 'response')
    stream.resume()
    await waitFor(() => expect([stream.closed, openStreams.size]).toEqual([true, 0]))
    client.destroy()

    expect([answer[':status'], stream.rstCode]).toEqual([status, 0])
  },
)

describe('H18: a body without metadata', () => {
  const padded = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`

  it.each([
    ['POST', '/token?grant_type=password'],
    ['POST', '/recover'],
    ['POST', '/resend'],
    ['POST', '/verify'],
  ])('is rejected above 16 KiB: %s %s', async (method, path) => {
    const within = await auth.request(method, path, { body: padded(16_384) })
    const over = await auth.request(method, path, { body: padded(16_385) })

    expect(within.body.error_code).not.toBe('request_entity_too_large')
    expect([over.status, over.body.msg]).toEqual([413, 'Request body too large (max 16384 bytes)'])
  })

  it('is rejected above 2 MiB in a call from code', async () => {
    const call = auth.auth.api.signUp({
      email: 'x'.repeat(2 * mebibyte),
      password: 'correct horse',
    })

    await expect(call).rejects.toMatchObject({ code: 'request_entity_too_large', status: 413 })
  })
})
