import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../src/accounts/auth-context.ts'
import { type Endpoint, maxBytesOf } from '../src/endpoints/http/endpoint.ts'
import { guardsOf } from '../src/endpoints/http/guards.ts'
import { toNode } from '../src/hosts/adapters/node.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { serve } from './support/serve.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const mebibyte = 1_048_576

let auth: TestAuth
let deps: Deps
let token: string
let serviceToken: string
let isLimited = false
let captchas = 0

beforeAll(async () => {
  auth = await startTestAuth({
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
      deviceFlow: { enabled: true },
    },
    rateLimits: { emailSent: 'off', smsSent: 'off' },
    anonymousUsers: { enabled: true },
    web3: { ethereumEnabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
    security: {
      ownDeletionEnabled: true,
      manualLinkingEnabled: true,
      captcha: {
        enabled: true,
        verify: () => {
          captchas += 1
          return true
        },
      },
    },
  })
  deps = await auth.deps()
  const { take } = deps.limits
  deps.limits.take = async (counted) =>
    isLimited ? { allowed: false, retryAfterSeconds: 7 } : take(counted)
  token = (await auth.given.session()).accessToken
  serviceToken = await auth.given.serviceToken()
})
beforeEach(() => {
  isLimited = false
  captchas = 0
})
afterAll(() => auth.close())

const ip = '198.51.100.66'

/** Sends a request whose body is a stream, and reports how often the stream was read. */
async function send(
  endpoint: Endpoint,
  { headers, bearer }: { headers?: Record<string, string>; bearer?: string | undefined } = {},
) {
  let reads = 0
  const body = new ReadableStream(
    {
      pull: (controller) => {
        reads += 1
        controller.enqueue(new TextEncoder().encode('{}'))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const parameters = Object.entries(endpoint.query ?? {})
    .map(([name, kind]) => [name, kind.jsonSchema.enum?.[0]])
    .filter(([, word]) => word !== undefined)
    .map(
      ([name, word]) => `${String(name).replace(/[A-Z]/g, (a) => `_${a.toLowerCase()}`)}=${word}`,
    )
  const path = endpoint.path.replaceAll(/\{\w+\}/g, crypto.randomUUID())
  const request = new Request(`http://auth.test${path}?${parameters.join('&')}`, {
    method: endpoint.method,
    headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) },
    ...(endpoint.method !== 'GET' && { body, duplex: 'half' }),
  } as RequestInit)
  const response = await auth.auth.fetch(request, { ip })
  const { error_code: code, msg } = JSON.parse((await response.text()) || '{}')
  return { status: response.status, headers: response.headers, code, msg, reads }
}

const bearerFor = (endpoint: Endpoint) =>
  ({ anyone: undefined, user: token, operator: serviceToken })[guardsOf(endpoint).caller]

const named = (some: readonly Endpoint[]) =>
  some.map((one) => [`${one.method} ${one.path}: ${one.summary}`, one] as const)

/**
 * Endpoints that anyone may call without a limit: neither reads a body, and none costs more than
 * its response.
 */
const unlimited: Record<string, string> = {
  'GET /health': 'reads nothing',
  'GET /ready': 'looks at the database once for all requests of a moment',
  'GET /settings': 'presents the configuration',
  'GET /.well-known/jwks.json': 'presents keys in memory',
  'POST /sso': 'is not built: always rejects',
  'GET /sso/saml/metadata': 'is not built: always rejects',
  'POST /sso/saml/acs': 'is not built: always rejects',
  'GET /.well-known/openid-configuration': 'presents the configuration',
  'GET /.well-known/oauth-authorization-server': 'presents the configuration',
  'GET /.well-known/oauth-protected-resource': 'presents the configuration',
  'GET /oauth/userinfo': 'verifies a token, as the endpoints of users do',
  'POST /oauth/userinfo': 'verifies a token, as the endpoints of users do',
}

describe('S14: an endpoint that anyone may call', () => {
  it('has a limit per client, or is in a list with the reason', () => {
    const without = endpoints.filter((one) => {
      const { caller, limit } = guardsOf(one)
      return caller === 'anyone' && !limit
    })

    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual(Object.keys(unlimited))
  })
})

describe('S14, S19: a client that has used up its limit', () => {
  it.each(named(endpoints.filter((one) => guardsOf(one).limit)))(
    'gets 429, and its body is not read: %s',
    async (_, endpoint) => {
      isLimited = true

      const answer = await send(endpoint, { bearer: bearerFor(endpoint) })

      expect(answer).toMatchObject({ status: 429, code: 'over_request_rate_limit', reads: 0 })
      expect(answer.headers.get('retry-after')).toBe('7')
      expect(captchas).toBe(0)
    },
  )
})

const served = endpoints.filter(
  ({ path }) => !/^\/(sso|health|ready|settings|\.well-known)/.test(path),
)

describe('S14: a body that declares more than its endpoint accepts', () => {
  it.each(named(served.filter(({ method }) => method !== 'GET')))(
    'is rejected unread: %s',
    async (_, endpoint) => {
      const max = maxBytesOf(endpoint)
      const headers = { 'content-length': String(max + 1) }

      const answer = await send(endpoint, { headers, bearer: bearerFor(endpoint) })

      expect(answer).toMatchObject({
        status: 413,
        code: 'request_entity_too_large',
        msg: `Request body too large (max ${max} bytes)`,
        reads: 0,
      })
      expect(captchas).toBe(0)
    },
  )

  it('may be a mebibyte for operators only', () => {
    const largest = endpoints.filter((one) => maxBytesOf(one) > 65_536)

    expect(new Set(largest.map((one) => guardsOf(one).caller))).toEqual(new Set(['operator']))
    expect(maxBytesOf(endpoints.find(({ path }) => path === '/signup') as Endpoint)).toBe(65_536)
  })

  it('may be large only where it contains metadata or a long text', () => {
    const large = endpoints.filter((one) => maxBytesOf(one) > 16_384).map(({ path }) => path)

    expect([...new Set(large)].sort()).toEqual([
      '/admin/generate_link',
      '/admin/oauth/clients',
      '/admin/oauth/clients/{client_id}',
      '/admin/users',
      '/admin/users/{user_id}',
      '/invite',
      '/magiclink',
      '/oauth/clients/register',
      '/oauth/device_authorization',
      '/oauth/token',
      '/otp',
      '/passkeys/signup/verify',
      '/signup',
      '/token',
      '/user',
    ])
  })
})

describe('S14: a caller without a valid token', () => {
  it.each(named(served.filter((one) => guardsOf(one).caller !== 'anyone')))(
    'is rejected before the body is read: %s',
    async (_, endpoint) => {
      const without = await send(endpoint)
      const forged = await send(endpoint, { bearer: `${token.slice(0, -8)}AAAAAAAA` })

      expect([without.status, without.reads]).toEqual([401, 0])
      expect([forged.status, forged.code, forged.reads]).toEqual([403, 'bad_jwt', 0])
    },
  )
})

it('S14: the body of an endpoint without one is not read', async () => {
  const signOut = endpoints.find(({ path }) => path === '/logout')
  const { accessToken } = await auth.given.session('leaving@example.test')

  const answer = await send(signOut as Endpoint, { bearer: accessToken })

  expect([answer.status, answer.reads]).toEqual([204, 0])
})

describe('S14: the budget of bytes', () => {
  let small: TestAuth
  let bearer: string

  beforeAll(async () => {
    small = await startTestAuth({
      api: { maxBodyBytesInFlight: mebibyte },
      server: { requestTimeoutSeconds: 1 },
    })
    bearer = await small.given.serviceToken()
  })
  afterAll(() => small.close())

  /** Begins an operator's request that declares a mebibyte, of which some bytes are sent. */
  function begin(from: string) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const answered = small.auth.fetch(
      new Request('http://auth.test/admin/users', {
        method: 'POST',
        headers: { 'content-length': String(mebibyte), authorization: `Bearer ${bearer}` },
        body: readable,
        duplex: 'half',
      } as RequestInit),
      { ip: from },
    )
    return { writer, answered }
  }
  const status = async (answered: Promise<Response>) => (await answered).status

  it('rejects with 503 a body that does not fit, and accepts it once the other body has ended', async () => {
    const first = begin('198.51.100.1')
    await first.writer.write(Buffer.from('{'))
    const second = await begin('198.51.100.2').answered

    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    await first.writer.abort(new Error('the client left')).catch(() => {})
    expect(await status(first.answered)).toBe(400)
    const third = begin('198.51.100.2')
    await third.writer.write(Buffer.from('{}'))
    await third.writer.close()
    expect(await status(third.answered)).not.toBe(503)
  })

  it('is released at the deadline of a request whose body does not come', async () => {
    const slow = begin('198.51.100.1')

    expect(await status(slow.answered)).toBe(504)
    const next = begin('198.51.100.2')
    await next.writer.close()
    expect(await status(next.answered)).toBe(400)
  })
})

describe('S14: a body that is rejected unread', () => {
  const body = Buffer.alloc(mebibyte, ' ')

  it('leaves a connection of HTTP/1.1 to the next request', async () => {
    const server = await serve(toNode(auth.auth))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports: unknown[] = []
    const ask = async (method: string, path: string, sent?: Buffer) => {
      const request = httpRequest(`${server.url}${path}`, { agent, method })
      request.end(sent)
      const [response] = await once(request, 'response')
      ports.push(response.socket.localPort)
      response.resume()
      await once(response, 'close')
      return response.statusCode
    }

    const statuses = [
      await ask('POST', '/recover', body),
      await ask('PUT', '/user', body),
      await ask('GET', '/health'),
    ]
    agent.destroy()
    await server.close()

    expect(statuses).toEqual([413, 401, 200])
    expect(new Set(ports).size).toBe(1)
  })

  it('leaves a connection of HTTP/2 to other streams', async () => {
    const handle = toNode(auth.auth)
    const server = createServer((request, response) => {
      void handle(request as never, response as never)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const ask = async (method: string, path: string, sent?: Buffer) => {
      const stream = client.request({ ':method': method, ':path': path }, { endStream: !sent })
      stream.on('error', () => {})
      if (sent) stream.end(sent)
      const [headers] = await once(stream, 'response')
      stream.resume()
      return headers[':status']
    }

    const statuses = [await ask('PUT', '/user', body), await ask('GET', '/health')]
    client.destroy()
    server.close()

    expect(statuses).toEqual([401, 200])
  })
})
