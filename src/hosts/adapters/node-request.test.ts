import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { NodeRequest as SrvxRequest } from 'srvx/node'
import { expect, it } from 'vitest'
import { NodeRequest } from './node-request.ts'

type Exchange = ConstructorParameters<typeof NodeRequest>[0]

/** Returns what `read` makes of a request that consists of these lines. */
async function readRaw<T>(
  lines: readonly string[],
  read: (exchange: Exchange) => T | Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const server = createServer({ requireHostHeader: false }, async (req, res) => {
    await (async () => read({ req, res }))().then(resolve, reject)
    res.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(lines.join('\r\n'))
  try {
    return await promise
  } finally {
    client.destroy()
    server.close()
  }
}

const get = (target: string, ...headers: string[]) => [
  `GET ${target} HTTP/1.1`,
  ...headers,
  'connection: close',
  '',
  '',
]

it.each([
  ['a path with a query', get('/user?a=1&b=%2F', 'host: app.test:8081')],
  ['a path with dots', get('/admin/../%2e%2e/user/./a', 'host: app.test')],
  ['a query that needs encoding', get(`/user?a="<'&b=1#c`, 'host: app.test')],
  ['an empty query', get('/user?', 'host: app.test')],
  ['two slashes', get('//evil.test/user', 'host: app.test')],
  ['an absolute target', get('http://evil.test/user?a=1', 'host: app.test')],
  ['an address of version 6', get('/user', 'host: [::1]:80')],
])('has the URL that srvx has: %s', async (_, lines) => {
  const [read, routed, theirs] = await readRaw(lines, (exchange) => [
    new URL(new NodeRequest(exchange).url),
    new NodeRequest(exchange)._url,
    new URL(new SrvxRequest(exchange).url),
  ])

  const target = `${theirs?.pathname}${theirs?.search}`
  expect(`${read?.pathname}${read?.search}`).toBe(target)
  expect(`${routed?.pathname}${routed?.search}`).toBe(target)
})

it.each(['a/b?c#d e', 'user@app.test', 'app.test:99999', '999.1.1.1', ''])(
  'ignores a host that is none: %j',
  async (host) => {
    const url = await readRaw(get('/user?a=1', `host: ${host}`), (exchange) => {
      return new NodeRequest(exchange).url
    })

    expect(url).toBe('http://invalid/user?a=1')
  },
)

it('has the path / for a target that is none', async () => {
  const lines = ['OPTIONS * HTTP/1.1', 'host: app.test', '', '']

  const url = await readRaw(lines, (exchange) => new NodeRequest(exchange).url)

  expect(url).toBe('http://app.test/')
})

it('joins the lines of a header as the Fetch standard does', async () => {
  const headers = [
    'host: app.test',
    'Authorization: Bearer a',
    'authorization: Bearer b',
    'X-Forwarded-For: 192.0.2.1',
    'x-forwarded-for: 192.0.2.2',
    'cookie: a=1',
    'cookie: b=2',
    'user-agent: one',
  ]
  const names = [
    'Authorization',
    'x-forwarded-for',
    'cookie',
    'User-Agent',
    'accept',
    '__proto__',
    'constructor',
  ]
  const [ours, theirs] = await readRaw(get('/', ...headers), (exchange) =>
    [new NodeRequest(exchange), new SrvxRequest(exchange)].map(({ headers: read }) =>
      names.map((name) => [read.get(name), read.has(name)]),
    ),
  )

  expect(ours).toEqual(theirs)
  expect(ours?.[0]).toEqual(['Bearer a, Bearer b', true])
})

it('reads the host and the peer of a request of HTTP/2', async () => {
  const server = createHttp2Server()
  const received = new Promise<NodeRequest>((resolve) => {
    server.on('request', (req, res) => {
      resolve(new NodeRequest({ req, res } as unknown as Exchange))
      res.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const client = connectHttp2(`http://127.0.0.1:${port}`)
  client.request({ ':path': '/user?a=1' }).end()

  const request = await received
  client.destroy()
  server.close()

  expect(request.url).toBe(`http://127.0.0.1:${port}/user?a=1`)
  expect(request.ip).toBe('127.0.0.1')
})

const post = (body: string) => [
  'POST / HTTP/1.1',
  'host: app.test',
  `content-length: ${body.length}`,
  '',
  body,
]

const read = async ({ body }: NodeRequest) => String(body && (await buffer(body)))

it('streams a body', async () => {
  const body = await readRaw(post('{"a":1}'), (exchange) => read(new NodeRequest(exchange)))

  expect(body).toBe('{"a":1}')
})

it('streams the body that a host has left in `rawBody`', async () => {
  const [body, isUsed] = await readRaw(post('{"a":1}'), async ({ req, res }) => {
    const rawBody = await buffer(req)
    const request = new NodeRequest({ req: Object.assign(req, { rawBody }), res })
    return [await read(request), request.bodyUsed] as const
  })

  expect([body, isUsed]).toEqual(['{"a":1}', false])
})

it('reports a body that a host has read and not left', async () => {
  const isUsed = await readRaw(post('{"a":1}'), async ({ req, res }) => {
    await buffer(req)
    return new NodeRequest({ req, res }).bodyUsed
  })

  expect(isUsed).toBe(true)
})

it('has a body that fails where the stream has ended before', async () => {
  const reading = readRaw(post('{"a":1}'), async ({ req, res }) => {
    await buffer(req)
    return read(new NodeRequest({ req, res }))
  })

  await expect(reading).rejects.toThrow('ended')
})

it('has no body for GET', async () => {
  const body = await readRaw(get('/', 'host: a'), (exchange) => new NodeRequest(exchange).body)

  expect(body).toBeNull()
})
