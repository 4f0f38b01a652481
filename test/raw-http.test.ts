import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { ask } from './support/ask.ts'
import { openConnection, sendRaw } from './support/raw-http.ts'
import { type ServedCommand, serve } from './support/serve.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

let auth: TestAuth
let served: ServedCommand

beforeAll(async () => {
  auth = await startTestAuth()
  served = await serve(toNode(auth.auth))
})
afterAll(async () => {
  await served.close()
  await auth.close()
})

const head = (line: string, ...headers: string[]) =>
  [line, 'host: auth.test', 'connection: close', ...headers, '', ''].join('\r\n')

const post = (...headers: string[]) => head('POST /signup HTTP/1.1', ...headers)

/** Expects the service to respond as usual, without a fault of its own. */
async function expectHealth(): Promise<void> {
  const email = `after${auth.log.length}.${Math.random()}@example.test`
  const answer = await ask(served.url, 'POST', '/signup', {
    body: { email, password: 'correct horse' },
  })
  expect(answer.status).toBe(200)
  expect(auth.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
}

describe('invalid HTTP', () => {
  it.each<[string, string, number | null]>([
    ['no request at all', '\r\n\r\n\0\0', 400],
    ['no path', head('GET HTTP/1.1'), 400],
    ['white space in the path', head('GET /health x HTTP/1.1'), 400],
    ['a version of its own', head('GET /health HTTP/9.9'), 400],
    ['a method of its own', head('HACK /health HTTP/1.1'), 400],
    ['no host', 'GET /settings HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    [
      'a host that is none',
      'GET /settings HTTP/1.1\r\nhost: a/b?c#d e\r\nconnection: close\r\n\r\n',
      200,
    ],
    [
      'a host that is none, and a path to be put right',
      'GET /"x HTTP/1.1\r\nhost: 999.1.1.1\r\nconnection: close\r\n\r\n',
      404,
    ],
    ['two hosts', head('GET /settings HTTP/1.1', 'host: evil.test'), null],
    ['a whole URL', head('GET http://evil.test/settings HTTP/1.1'), 200],
    ['a URL of another scheme', head('GET file:///settings HTTP/1.1'), null],
    ['a URL without a path', head('GET http:// HTTP/1.1'), null],
    ['an asterisk', head('OPTIONS * HTTP/1.1'), null],
    ['a path of 8 bits', head('GET /\xff\xfe HTTP/1.1'), null],
    ['backslashes', head('GET \\settings HTTP/1.1'), null],
    ['two slashes', head('GET //user HTTP/1.1'), 404],
    ['a question mark alone', head('GET ? HTTP/1.1'), null],
    ['a header without a colon', head('GET /settings HTTP/1.1', 'nonsense'), 400],
    ['a folded header', head('GET /settings HTTP/1.1', 'x: a', ' b'), null],
    ['NUL in a header', head('GET /settings HTTP/1.1', 'x: a\0b'), 400],
    ['8 bits in a token', head('GET /user HTTP/1.1', 'authorization: Bearer \xff\xfe'), 403],
    [
      'two tokens',
      head('GET /user HTTP/1.1', 'authorization: Bearer a', 'authorization: Bearer b'),
      401,
    ],
    ['a header that is too long', head('GET /user HTTP/1.1', `x: ${'x'.repeat(17_000)}`), 431],
    ['a query that is too long', head(`GET /verify?token=${'x'.repeat(17_000)} HTTP/1.1`), 431],
    [
      'a token that is too long',
      head('GET /user HTTP/1.1', `authorization: Bearer ${'x'.repeat(33_000)}`),
      431,
    ],
    ['too many headers', head('GET /user HTTP/1.1', ...Array(3000).fill('x: y')), null],
    ['__proto__ as a header', head('GET /user HTTP/1.1', '__proto__: x', 'constructor: y'), 401],
    ['two lengths', `${post('content-length: 2', 'content-length: 3')}{}x`, 400],
    [
      'a length and chunks',
      `${post('content-length: 2', 'transfer-encoding: chunked')}0\r\n\r\n`,
      400,
    ],
    ['a length below zero', `${post('content-length: -1')}{}`, 400],
    ['a length that is none', `${post('content-length: 0x2')}{}`, 400],
    ['a length beyond all numbers', `${post(`content-length: ${'9'.repeat(30)}`)}{}`, 400],
    ['chunks of its own coding', `${post('transfer-encoding: chunked, gzip')}0\r\n\r\n`, 400],
    ['a chunk without end', `${post('transfer-encoding: chunked')}zz\r\n`, 400],
    [
      'a chunk beyond all numbers',
      `${post('transfer-encoding: chunked')}${'f'.repeat(20)}\r\n`,
      400,
    ],
    ['less than it said', `${post('content-length: 100')}{"email":`, null],
    ['more than it said', `${post('content-length: 2')}{}GET /user HTTP/1.1\r\n\r\n`, null],
    ['a body with GET', `${head('GET /user HTTP/1.1', 'content-length: 2')}{}`, 401],
    [
      'a wish to upgrade',
      head('GET /user HTTP/1.1', 'upgrade: websocket', 'connection: upgrade'),
      null,
    ],
    ['a tunnel', head('CONNECT evil.test:443 HTTP/1.1'), null],
    ['a trace', head('TRACE /user HTTP/1.1', 'authorization: Bearer canary'), 405],
  ])('does no harm: %s', async (_, text, status) => {
    const answer = await sendRaw(served.port, text)

    for (const each of answer.statuses) expect(each).toBeLessThan(500)
    if (status !== null) expect(answer.statuses).toEqual([status])
    expect(answer.text).not.toContain('canary')
    await expectHealth()
  })

  it('is harmless in many concurrent connections that are dropped', async () => {
    const starts = [
      '',
      'POST',
      'POST /signup HTTP/1.1\r\n',
      post('content-length: 50'),
      `${post('content-length: 50')}{"`,
    ]

    await Promise.all(
      Array.from({ length: 40 }, async (__, at) => {
        const socket = await openConnection(served.port)
        socket.write(starts[at % starts.length] ?? '')
        const closed = once(socket, 'close')
        if (at % 2) socket.resetAndDestroy()
        else socket.destroy()
        await closed
      }),
    )

    await expectHealth()
  })

  it('does not delay other clients beside a slow body', async () => {
    const slow = await openConnection(served.port)
    const body = JSON.stringify({ email: 'slow@example.test', password: 'correct horse' })
    slow.write(`${post(`content-length: ${body.length}`)}${body.slice(0, 10)}`)

    await expectHealth()
    slow.write(body.slice(10))

    const [answer] = await once(slow, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    slow.destroy()
  })

  it('rejects a body that is too large before it was sent', async () => {
    const socket = await openConnection(served.port)
    socket.write(post('content-length: 2000000', 'expect: 100-continue'))

    const [answer] = await once(socket.setEncoding('utf8'), 'data')

    socket.destroy()
    expect(String(answer)).toMatch(/^HTTP\/1\.1 (100|413) /)
    await expectHealth()
  })

  it('stops reading a chunked body that does not end', async () => {
    const socket = await openConnection(served.port)
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    socket.write(post('transfer-encoding: chunked'))
    for (let sent = 0; sent < 20; sent++) socket.write(chunk)

    const [answer] = await once(socket.setEncoding('utf8'), 'data')

    socket.destroy()
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /)
    await expectHealth()
  })
})
