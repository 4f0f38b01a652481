import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { selfSigned } from '../../../test/support/self-signed.ts'
import {
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from '../../../test/support/web-server.ts'
import { builtIn } from './built-in.ts'
import { type FetchOptions, safeFetch } from './safe-fetch.ts'
import { isFetchFailure } from './url-trust.ts'

const outside = { trust: 'outside' } as const
const operator = { trust: 'operator' } as const

/** Returns the reason and message of a failure; fails if there is none. */
async function failure(url: string, options: FetchOptions) {
  try {
    await safeFetch(url, options)
  } catch (error) {
    if (isFetchFailure(error)) return { reason: error.reason, message: error.message }
    throw error
  }
  throw new Error('there was an answer')
}

const resolveTo = (...addresses: string[]) => {
  const requested: string[] = []
  const resolve = async (host: string) => {
    requested.push(host)
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { requested, resolve }
}

const serve = (answer: ServerAnswer): Promise<WebServer> => startWebServer(answer)

it('fails if a server switches the protocol instead of responding', async () => {
  await using server = await serve((response) => {
    response.socket?.end(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    )
  })
  expect(await failure(server.url, operator)).toMatchObject({ reason: 'unreachable' })
})

it.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
])('S142: fails after ten responses of %s', async (_, informational) => {
  await using server = await serve((response) => {
    response.socket?.end(`${informational.repeat(11)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`)
  })
  await using few = await serve((response) => {
    response.socket?.end(`${informational.repeat(10)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`)
  })

  expect(await failure(server.url, operator)).toMatchObject({ reason: 'unreachable' })
  expect((await safeFetch(few.url, operator)).status).toBe(200)
})

it.each([
  ['empty lines before a response', '', '\r\n'.repeat(30_000)],
  [
    'chunks of one byte',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\nx\r\n'.repeat(10_000),
  ],
  [
    'extensions of chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    `1;${'e'.repeat(16_000)}\r\nx\r\n`.repeat(4),
  ],
])('S142: ends a stream of %s', async (_, head, part) => {
  let isClosed = false
  await using server = await serve(({ socket }) => {
    if (!socket) throw new Error('there is no socket')
    socket.on('error', () => {})
    socket.once('close', () => {
      isClosed = true
    })
    const send = () => {
      while (!isClosed && socket.write(part));
    }
    socket.on('drain', send)
    socket.write(head)
    send()
  })

  expect(await failure(server.url, { ...operator, maxBytes: 65_536 })).toMatchObject({
    reason: expect.stringMatching(/unreachable|too-large/),
  })
  await expect.poll(() => isClosed).toBe(true)
})

it('S142: compares the bytes of a stream with its content, not with the permitted size', async () => {
  await using server = await serve(async (response) => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' }).flushHeaders()
    for (let part = 0; part < 60; part += 1) {
      response.socket?.write('1\r\nx\r\n'.repeat(5_000))
      await setTimeout(5)
    }
    response.end()
  })

  expect(await failure(server.url, operator)).toHaveProperty('reason', 'unreachable')
})

it('names the host of a URL from outside without a port', async () => {
  const ask = vi.spyOn(builtIn.https, 'request')
  const resolve = () => new Promise<never>(() => {})
  for (const port of ['', ':8443']) {
    await failure(`https://hook.example${port}/`, { ...outside, resolve, timeoutMs: 20 })
  }

  const hosts = ask.mock.results.map(({ value }) => (value as ClientRequest).getHeader('host'))
  ask.mockRestore()
  expect(hosts).toEqual(['hook.example', 'hook.example:8443'])
})

describe('T43: a URL from outside', () => {
  it.each([
    'http://93.184.216.34/',
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'https://me:secret@93.184.216.34/',
    'not a URL',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[64:ff9b:1::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[ff02::1]/',
    'https://[2001:db8::1]/',
  ])('is rejected without a request: %s', async (url) => {
    expect(await failure(url, outside)).toHaveProperty('reason', 'refused-url')
  })

  it.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['93.184.216.34', '10.0.0.1'],
  ])('is rejected if its name resolves to %s', async (...addresses) => {
    const { requested, resolve } = resolveTo(...addresses)

    const { reason } = await failure('https://rebind.example/', { ...outside, resolve })

    expect([reason, requested]).toEqual(['refused-url', ['rebind.example']])
  })

  it('is rejected if its name does not resolve', async () => {
    const { resolve } = resolveTo()

    expect(await failure('https://empty.example/', { ...outside, resolve })).toHaveProperty(
      'reason',
      'refused-url',
    )
  })
})

it('T43: connects to the address that was checked, without a second lookup', async () => {
  await using server = await serve((response) => response.end('here'))
  const answers = [['127.0.0.1'], ['127.0.0.2']]
  const resolve = async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }))

  const answer = await safeFetch(`http://hook.example:${server.port}/a`, { ...operator, resolve })

  expect(answer.text).toBe('here')
  expect(answers).toEqual([['127.0.0.2']])
  expect(server.heard[0]?.headers.host).toBe(`hook.example:${server.port}`)
})

describe('a URL of the operator', () => {
  it('is requested over http on loopback, with method, headers and body', async () => {
    await using server = await serve((response) => {
      response.writeHead(418, { 'x-kind': 'teapot' }).end('ünïcode')
    })

    const answer = await safeFetch(`${server.url}/path?q=1`, {
      ...operator,
      method: 'PUT',
      headers: { 'x-mine': 'yes', 'accept-encoding': 'gzip' },
      body: 'a body',
    })

    expect(answer).toMatchObject({ status: 418, text: 'ünïcode', headers: { 'x-kind': 'teapot' } })
    expect(answer.bytes).toEqual(Buffer.from('ünïcode'))
    expect(server.heard).toMatchObject([
      {
        method: 'PUT',
        path: '/path?q=1',
        text: 'a body',
        headers: { 'x-mine': 'yes', 'accept-encoding': 'identity', 'content-length': '6' },
      },
    ])
  })

  it('is rejected over http to a public host, by address and by name', async () => {
    const { resolve } = resolveTo('93.184.216.34')

    const byAddress = await failure('http://93.184.216.34/', operator)
    const byName = await failure('http://hook.example/', { ...operator, resolve })

    expect([byAddress.reason, byName.reason]).toEqual(['refused-url', 'refused-url'])
  })

  it('may be private over https', async () => {
    const authorities = getCACertificates('default')
    await using server = await startWebServer((response) => response.end('safe'), selfSigned)
    const { resolve } = resolveTo('127.0.0.1')

    setDefaultCACertificates([...authorities, selfSigned.cert])
    const pending = safeFetch(`https://hook.example:${server.port}/`, { ...operator, resolve })
    const answer = await pending.finally(() => setDefaultCACertificates(authorities))

    expect(answer).toMatchObject({ status: 200, text: 'safe' })
  })

  it('is accepted over https only with a trusted certificate', async () => {
    await using server = await startWebServer((response) => response.end(), selfSigned)

    expect(await failure(server.url, operator)).toHaveProperty('reason', 'unreachable')
    expect(server.heard).toEqual([])
  })
})

it('T43: follows no redirect', async () => {
  await using server = await serve((response) => {
    response.writeHead(302, { location: '/elsewhere' }).end()
  })

  const answer = await safeFetch(server.url, operator)

  expect(answer.status).toBe(302)
  expect(server.heard).toHaveLength(1)
})

describe('T43: the size of a body', () => {
  const size = (bytes: number): ServerAnswer => {
    return (response) => response.end(Buffer.alloc(bytes, 'x'))
  }

  it('is 1 MiB at most', async () => {
    await using fits = await serve(size(1024 * 1024))
    await using tooLarge = await serve(size(1024 * 1024 + 1))

    expect((await safeFetch(fits.url, operator)).bytes).toHaveLength(1024 * 1024)
    expect(await failure(tooLarge.url, operator)).toHaveProperty('reason', 'too-large')
  })

  it('has the requested limit, or is truncated there', async () => {
    await using server = await serve(size(11))

    expect(await failure(server.url, { ...operator, maxBytes: 10 })).toHaveProperty(
      'reason',
      'too-large',
    )
    const cut = await safeFetch(server.url, { ...operator, maxBytes: 10, truncate: true })
    expect(cut.text).toBe('x'.repeat(10))
  })

  it('ends a body without an end', async () => {
    let isOpen = true
    await using server = await serve((response) => {
      response.on('close', () => {
        isOpen = false
      })
      const more = () => response.write('x'.repeat(1000)) && setImmediate(more)
      response.on('drain', more)
      more()
    })

    const { reason } = await failure(server.url, { ...operator, maxBytes: 5000 })
    await expect.poll(() => isOpen).toBe(false)

    expect(reason).toBe('too-large')
  })
})

describe('T43: the time limit of an exchange', () => {
  const timeoutMs = 80

  it('includes a name that is never resolved', async () => {
    const resolve = () => new Promise<never>(() => {})

    expect(
      await failure('https://slow.example/', { ...operator, resolve, timeoutMs }),
    ).toHaveProperty('reason', 'timed-out')
  })

  it('includes a response that does not begin, and one that does not end', async () => {
    await using silent = await serve(() => {})
    await using endless = await serve((response) => {
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    })

    expect(await failure(silent.url, { ...operator, timeoutMs })).toHaveProperty(
      'reason',
      'timed-out',
    )
    expect(await failure(endless.url, { ...operator, timeoutMs })).toHaveProperty(
      'reason',
      'timed-out',
    )
  })
})

describe('a server that does not respond', () => {
  it('is unreachable if no process listens, or if it closes the connection early', async () => {
    const server = await serve(() => {})
    await server.close()
    await using dropping = await serve((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      void setTimeout(20).then(() => response.destroy())
    })

    expect(await failure(server.url, operator)).toHaveProperty('reason', 'unreachable')
    expect(await failure(dropping.url, operator)).toHaveProperty('reason', 'unreachable')
  })

  it('is unreachable if it uses another protocol', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo

    const { reason } = await failure(`http://127.0.0.1:${port}/`, operator)
    server.close()

    expect(reason).toBe('unreachable')
  })
})

it('reports no path, query or credentials in its errors', async () => {
  await using server = await serve((response) => response.destroy())
  const urls = [
    `${server.url}/s3cret?key=s3cret`,
    'https://s3cret:s3cret@10.0.0.1/s3cret?key=s3cret',
    'https://s3cret:s3cret@[',
  ]

  const failures = await Promise.all(urls.map((url) => failure(url, operator)))

  expect(JSON.stringify(failures)).not.toContain('s3cret')
  expect(failures[0]?.message).toBe(`${server.url} cannot be reached`)
})
