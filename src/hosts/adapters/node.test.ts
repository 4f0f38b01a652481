import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import express5, { type Express, type Handler } from 'express'
import express4 from 'express4'
import { H3, toNodeHandler } from 'h3'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { type ServedCommand, serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { toNode } from './node.ts'

let auth: TestAuth
let served: ServedCommand

let users = 0
const newUser = () => ({ email: `node${++users}@example.test`, password: testPassword })

const addressOf = async (userId: string) => {
  const [row] = await auth.rows<{ ip: string }>('select ip from auth.sessions where user_id = $1', [
    userId,
  ])
  return row?.ip
}

beforeAll(async () => {
  auth = await startTestAuth()
})
afterEach(() => served.close())
afterAll(() => auth.close())

describe('on node:http', () => {
  it('signs up, in and out', async () => {
    served = await serve(toNode(auth.auth))
    const body = newUser()

    const signUp = await ask(served.url, 'POST', '/signup', { body })
    const signIn = await ask(served.url, 'POST', '/token?grant_type=password', { body })
    const signOut = await ask(served.url, 'POST', '/logout', { token: signIn.body.access_token })
    const user = await ask(served.url, 'GET', '/user', { token: signIn.body.access_token })

    expect([signUp.status, signIn.status, signOut.status, user.status]).toEqual([
      200, 200, 204, 403,
    ])
  })

  it('declares the length of a response, and sends no body to HEAD', async () => {
    served = await serve(toNode(auth.auth))

    const get = await fetch(`${served.url}/settings`)
    const head = await fetch(`${served.url}/settings`, { method: 'HEAD' })

    expect(Number(get.headers.get('content-length'))).toBe((await get.text()).length)
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('stores the address of the socket and trusts no header', async () => {
    served = await serve(toNode(auth.auth))
    const headers = { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '198.51.100.2' }

    const { body } = await ask(served.url, 'POST', '/signup', { body: newUser(), headers })

    expect(await addressOf(body.user.id)).toBe('127.0.0.1')
  })

  it('S116: does not serve a client that has reset its connection, whose address is unknown', async () => {
    const { email, password } = newUser()
    const body = JSON.stringify({ email, password })
    const handle = toNode(auth.auth)
    const handled: Promise<void>[] = []
    served = await serve(handle)
    const server = createServer((request, response) => {
      if (process.platform === 'linux') expect(request.socket.remoteAddress).toBeUndefined()
      handled.push(handle(request, response))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const accepted = once(server, 'connection')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    await accepted
    const requested = once(server, 'request')

    client.write(
      `POST /signup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    client.resetAndDestroy()
    await requested
    await Promise.all(handled)
    await new Promise((resolve) => server.close(resolve))

    expect(await auth.rows('select id from auth.users where email = $1', [email])).toEqual([])
  })

  it('normalizes an IPv4 address that is mapped to IPv6', async () => {
    served = await serve(toNode(auth.auth), '::')

    const { body } = await ask(served.url, 'POST', '/signup', { body: newUser() })

    expect(await addressOf(body.user.id)).toBe('127.0.0.1')
  })

  it('rejects a body that is too large without cutting off a client that still sends it', async () => {
    served = await serve(toNode(auth.auth))
    const client = connect(served.port, '127.0.0.1').setEncoding('latin1')
    const body = ' '.repeat(2_000_000)

    client.write(`POST /signup HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n`)
    const [rejection] = await once(client, 'data')
    client.write(`${body}GET /health HTTP/1.1\r\nhost: a\r\n\r\n`)
    const [next] = await once(client, 'data')
    client.destroy()

    expect([rejection, next].map((answer) => String(answer).slice(9, 12))).toEqual(['413', '200'])
  })

  it('survives a client that disconnects in the middle of its body', async () => {
    served = await serve(toNode(auth.auth))
    const client = connect(served.port, '127.0.0.1')
    await once(client, 'connect')
    client.write('POST /signup HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"email":')
    auth.log.length = 0

    client.resetAndDestroy()
    await once(client, 'close')
    const next = await ask(served.url, 'POST', '/signup', { body: newUser() })

    expect(next.status).toBe(200)
    expect(auth.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('a service that could not be created', () => {
  it('responds 503, does not end the process, and is created with a later request', async () => {
    const stderrSpy = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const failing = ['settings are missing']
    served = await serve(
      toNode(() => {
        const failure = failing.pop()
        if (failure) throw new Error(failure)
        return auth.auth
      }),
    )

    const refused = await ask(served.url, 'POST', '/signup', { body: newUser() })
    const answered = await ask(served.url, 'POST', '/signup', { body: newUser() })
    const printed = stderrSpy.mock.calls.map(([text]) => String(text)).join('')
    stderrSpy.mockRestore()

    expect([refused.status, answered.status]).toEqual([503, 200])
    expect(refused.body.error_code).toBe('service_unavailable')
    expect(printed).toContain('settings are missing')
  })
})

describe('in a host that has responded already', () => {
  it('does nothing more, and does not end the process', async () => {
    const handle = toNode(auth.auth)
    const handled: Promise<void>[] = []
    served = await serve((request, response) => {
      handled.push(handle(request, response))
      response.writeHead(503).end('too late')
    })

    const { status, text } = await ask(served.url, 'POST', '/signup', { body: newUser() })

    expect([status, text]).toEqual([503, 'too late'])
    await expect(Promise.all(handled)).resolves.toEqual([undefined])
  })
})

describe('in another app of h3', () => {
  const start = async (build: (app: H3) => void) => {
    const app = new H3()
    build(app)
    served = await serve(toNodeHandler(app))
  }

  it('is mounted by its fetch, and receives the address', async () => {
    await start((app) => app.get('/own', () => 'own').mount('/auth', auth.auth.app))

    const { body } = await ask(served.url, 'POST', '/auth/signup', { body: newUser() })
    const own = await ask(served.url, 'GET', '/own')
    const unknown = await ask(served.url, 'GET', '/auth/own')

    expect(await addressOf(body.user.id)).toBe('127.0.0.1')
    expect([own.text, unknown.status]).toEqual(['own', 404])
  })

  it('receives a request from a route, with the address that the host provides', async () => {
    await start((app) => app.all('/**', ({ req }) => auth.auth.fetch(req, { ip: '203.0.113.80' })))

    const { body } = await ask(served.url, 'POST', '/signup', { body: newUser() })

    expect(await addressOf(body.user.id)).toBe('203.0.113.80')
  })

  it('provides the user to a route of the app', async () => {
    await start((app) =>
      app.get('/me', async (event) => ({
        byEvent: (await auth.auth.requireUser(event)).user.email,
        byRequest: (await auth.auth.requireUser(event.req)).user.email,
      })),
    )
    const { user, accessToken: token } = await auth.given.session()

    const { body } = await ask(served.url, 'GET', '/me', { token })

    expect(body).toEqual({ byEvent: user.email, byRequest: user.email })
  })
})

describe('requireUser', () => {
  it('accepts a request of node:http', async () => {
    served = await serve((request, response) => {
      auth.auth.requireUser(request).then(
        ({ user }) => response.end(user.email),
        (error) => response.end(error.code),
      )
    })
    const { user, accessToken } = await auth.given.session()

    const known = await ask(served.url, 'GET', '/', { token: accessToken })
    const odd = await ask(served.url, 'GET', '/', { headers: { authorization: 'Basic dTpw' } })

    expect([known.text, odd.text]).toEqual([user.email, 'no_authorization'])
  })
})

describe('after a body parser', () => {
  const json = { 'content-type': 'application/json' }

  const serveBehind = (express: () => Express, parser: Handler): Promise<ServedCommand> =>
    serve(express().use(parser).use(toNode(auth.auth)))

  const send = (path: string, body: string, headers: Record<string, string>): Promise<Response> =>
    fetch(served.url + path, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })

  describe.each([
    { version: 'Express 5', express: express5 },
    { version: 'Express 4', express: express4 },
  ])('$version', ({ express }) => {
    it.each([
      ['a JSON parser', express.json()],
      ['a JSON parser of everything', express.json({ type: () => true })],
      ['a text parser', express.text({ type: () => true })],
    ])('signs up, in and out behind %s', async (_, parser) => {
      const app = express()
      app.use(parser)
      app.use(toNode(auth.auth))
      served = await serve(app)
      const body = newUser()

      const signUp = await ask(served.url, 'POST', '/signup', { body, headers: json })
      const wrong = { ...body, password: 'a wrong password' }
      const refused = await ask(served.url, 'POST', '/token?grant_type=password', {
        body: wrong,
        headers: json,
      })
      const address = await addressOf(signUp.body.user.id)
      const token = signUp.body.access_token
      const signOut = await ask(served.url, 'POST', '/logout', { token })

      expect([signUp.status, refused.status, signOut.status]).toEqual([200, 400, 204])
      expect(refused.body.error_code).toBe('invalid_credentials')
      expect(address).toBe('127.0.0.1')
    })
  })

  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  describe.each([
    { version: 'Express 5', express: express5 },
    { version: 'Express 4', express: express4 },
  ])('$version', ({ express }) => {
    it.each([
      [
        'a field that no text can be made of',
        express.urlencoded({ extended: true }),
        'a[toString]=1',
      ],
      ['a list for a form', express.json({ type: () => true }), '[1]'],
      ['an object for a form', express.json({ type: () => true }), '{"a":{"toString":1}}'],
    ])('rejects %s', async (_, parser, body) => {
      served = await serveBehind(express, parser)

      expect((await send('/token?grant_type=password', body, form)).status).toBe(400)
    })

    it('rejects a value that is nested too deeply to be serialized again', async () => {
      served = await serveBehind(express, express.json())
      const body = `{"data":${'['.repeat(45_000)}${']'.repeat(45_000)}}`

      expect((await send('/signup', body, json)).status).toBe(400)
    })
  })

  it('rejects values that are not JSON, such as an integer of any size', async () => {
    served = await serveBehind(express5, (request, _response, next) => {
      request.body = { email: 1n }
      request.resume().once('end', next)
    })

    expect((await send('/signup', '{"email":1}', json)).status).toBe(400)
  })

  it('accepts a body over HTTP/2, which need not declare its length', async () => {
    const handle = toNode(auth.auth)
    const server = createHttp2Server(async (request, response) => {
      const body: unknown = JSON.parse(String(await buffer(request)))
      await handle(Object.assign(request, { body }), response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

    const stream = client.request({ ':path': '/signup', ':method': 'POST', ...json })
    stream.end(JSON.stringify(newUser()))
    const [headers] = await once(stream, 'response')
    client.destroy()
    server.close()

    expect(headers[':status']).toBe(200)
  })

  it('names the remedy if the body is lost', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const handle = toNode(auth.auth)
    served = await serve((request, response) => {
      request.resume().once('end', () => handle(request, response))
    })

    const answers = [
      await ask(served.url, 'POST', '/signup', { body: newUser() }),
      await ask(served.url, 'POST', '/signup', { body: newUser() }),
    ]
    const warnings = warn.mock.calls.map(([text]) => text)
    warn.mockRestore()

    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(warnings).toEqual([
      expect.stringMatching(/mount Latchkey before the code that reads bodies/),
    ])
  })
})
