import { once } from 'node:events'
import { connect, constants, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { H3Event } from 'h3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { createBodyBudget } from './body-budget.ts'
import { withBody } from './read-text.ts'

const maxBytes = 65_536

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

/** A body of this size that is rejected only after it was read, since it contains no address. */
const bodyOf = (bytes: number) => `{"password":"${'x'.repeat(bytes - 15)}"}`

async function send(body: string | ReadableStream, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body, headers, duplex: 'half' } as const
  const answer = await auth.auth.fetch(new Request('http://auth.test/signup', init))
  const { error_code: code, msg } = (await answer.json()) as { error_code: string; msg: string }
  return { status: answer.status, code, msg }
}

/** Reads the body of a request of Node, without a server. */
const readFrom = (request: Readable, headers: Record<string, string>) => {
  const runtime = { name: 'node', node: { req: request } }
  const req = { method: 'POST', headers: new Headers(headers), runtime }
  return withBody(
    { bodies: createBodyBudget(maxBytes), client: null },
    { req, context: {} } as unknown as H3Event,
    { maxBytes, read: (text) => text },
    async (text) => text,
  )
}

describe('a body', () => {
  it('does not end the process if a stream of Node is rejected while it delivers', async () => {
    const uncaught: unknown[] = []
    const note = (error: unknown) => void uncaught.push(error)
    process.on('uncaughtExceptionMonitor', note)
    for (let time = 0; time < 20; time += 1) {
      const chunk = Buffer.alloc(16_384, ' ')
      const endless = new Readable({ highWaterMark: 1, read: () => void endless.push(chunk) })
      const answer = await send(Readable.toWeb(endless) as ReadableStream)
      expect(answer.status).toBe(413)
      await new Promise((resolve) => setImmediate(resolve))
    }
    process.off('uncaughtExceptionMonitor', note)

    expect(uncaught).toEqual([])
  })

  it('is read up to 64 KiB', async () => {
    const answer = await send(bodyOf(maxBytes))

    expect(answer.code).toBe('anonymous_provider_disabled')
  })

  it('is rejected by its declared length', async () => {
    const answer = await send('{}', { 'content-length': String(maxBytes + 1) })

    expect(answer).toEqual({
      status: 413,
      code: 'request_entity_too_large',
      msg: 'Request body too large (max 65536 bytes)',
    })
  })

  it.each(['5', '0', '-1', 'abc'])('is counted if it declares %s', async (length) => {
    const answer = await send(bodyOf(maxBytes + 1), { 'content-length': length })

    expect(answer.code).toBe('request_entity_too_large')
  })

  it('is counted if it is received in pieces', async () => {
    let pulled = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(65_536).fill(0x20))
      },
    })

    const answer = await send(endless)

    expect(answer.code).toBe('request_entity_too_large')
    expect(pulled).toBeLessThan(30)
  })

  it('S34: is rejected in pieces of a few bytes, each of which costs as much as a large one', async () => {
    let pulled = 0
    const tiny = new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new Uint8Array(2).fill(0x20))
      },
    })

    const answer = await send(tiny)

    expect([answer.status, answer.code]).toEqual([400, 'bad_json'])
    expect(pulled).toBeLessThan(300)
  })

  it('is read if a part of it is received in pieces of a few bytes', async () => {
    const bytes = Buffer.from(bodyOf(60_000))
    const pieces = Array.from({ length: 200 }, (_, at) => bytes.subarray(at, at + 1))
    const rest = Array.from({ length: 600 }, (_, at) =>
      bytes.subarray(200 + at * 100, 300 + at * 100),
    )

    const answer = await send(Readable.toWeb(Readable.from([...pieces, ...rest])) as ReadableStream)

    expect(answer.code).toBe('anonymous_provider_disabled')
  })

  it.each([
    ['nothing', ''],
    ['white space', '  '],
    ['a word', 'hello'],
    ['a form', 'email=a%40b.test&password=hunter2'],
    ['half of it', '{"password":"hunter2'],
    ['more after it', '{"password":"hunter2"} {}'],
    ['a comma too many', '{"password":"hunter2",}'],
    ['an array', '["hunter2"]'],
    ['a text', '"hunter2"'],
    ['a number', '5'],
  ])('is not JSON when it is %s, and is not quoted', async (_, text) => {
    const answer = await send(text)

    expect([answer.status, answer.code]).toEqual([400, 'bad_json'])
    expect(answer.msg).toMatch(/^Could not parse request body as JSON: /)
    expect(answer.msg).not.toContain('hunter2')
  })

  it.each([
    ['null', 'null'],
    ['a byte order mark before it', '\ufeff{}'],
    ['whatever media type it claims', '{}'],
  ])('may be %s', async (_, text) => {
    const answer = await send(text, { 'content-type': 'multipart/form-data' })

    expect(answer.code).toBe('anonymous_provider_disabled')
  })

  it.each(['email=ada%40example.test&password=x', '%7B%22email%22%3A%22ada%22%7D='])(
    'is named a form if it is one: %s',
    async (text) => {
      expect((await send(text)).msg).toContain('it is a form; send it as application/json')
    },
  )

  it('has the last value of two equal keys', async () => {
    const answer = await send('{"email":5,"email":"a@b.test","password":5,"password":""}')

    expect(answer.msg).toContain('Signup requires a valid password')
  })

  it('is distinguished from a missing one if the host has read it before', async () => {
    const request = new Request('http://auth.test/signup', { method: 'POST', body: '{}' })
    await request.text()

    const answer = await auth.auth.fetch(request)

    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error_code: 'bad_json',
      msg: expect.stringContaining('the host has read the body'),
    })
  })

  it('S34: costs nothing more after its rejection, also where many pieces have arrived already', async () => {
    const request = new Readable({ read: () => {}, autoDestroy: false })
    const read = readFrom(request, { 'transfer-encoding': 'chunked' })
    let received = 0
    await vi.waitUntil(() => request.listenerCount('data') > 0)

    while (request.listenerCount('data') > 0 && received < 1_000) {
      request.emit('data', Buffer.from(' '))
      received += 1
    }

    expect(received).toBeLessThan(300)
    await expect(read).rejects.toMatchObject({ code: 'bad_json' })
  })

  it('is not waited for if the client of HTTP/2 has reset its request', async () => {
    const stream = new Readable({ read: () => {}, autoDestroy: false })
    stream.push(null)
    await once(stream.resume(), 'end')
    const request = Object.assign(stream, { complete: true, httpVersionMajor: 2 })
    const read = readFrom(request, { 'content-length': '100' })

    await expect(read).rejects.toMatchObject({ code: 'bad_json' })
  }, 20_000)

  it('is not read as complete if the client of HTTP/2 resets its request after a part of it', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = connect(`http://127.0.0.1:${port}`)
    const stream = client.request({ ':method': 'POST', ':path': '/signup' })
    stream.on('error', () => {})
    stream.write('{"part":1}')
    const [request] = await once(server, 'request')
    await once(request, 'readable')
    stream.close(constants.NGHTTP2_CANCEL)
    await once(request, 'close')
    const event = {
      req: {
        method: 'POST',
        headers: new Headers(),
        runtime: { name: 'node', node: { req: request } },
      },
      context: {},
    } as unknown as H3Event
    const receiver = { bodies: createBodyBudget(maxBytes), client: null }

    const read = withBody(receiver, event, { maxBytes, read: JSON.parse }, async (value) => value)

    await expect(read).rejects.toMatchObject({ code: 'bad_json' })
    client.destroy()
    server.close()
  })

  it('is rejected with an error in JSON if it ends early', async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('connection lost')),
    })

    const answer = await send(broken)

    expect(answer).toMatchObject({ status: 400, code: 'bad_json' })
    expect(auth.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})
