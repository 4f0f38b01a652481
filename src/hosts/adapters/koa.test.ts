import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import bodyParser from '@koa/bodyparser'
import Koa, { type Middleware } from 'koa'
import mountAt from 'koa-mount'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { holdsInHost, newUser } from '../../../test/support/holds-in-host.ts'
import { type ServedCommand, serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { toKoa } from './koa.ts'

let auth: TestAuth
let served: ServedCommand

const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
})
afterEach(() => served.close())
afterAll(async () => {
  warn.mockRestore()
  await auth.close()
})

async function start(build: (app: Koa) => void): Promise<ServedCommand> {
  const app = new Koa()
  app.silent = true
  build(app)
  served = await serve(app.callback())
  return served
}

const json = { 'content-type': 'application/json' }

/** A parser that keeps the parsed value of a body, and not its text. */
const parseAlone: Middleware = async (context, next) => {
  const chunks: Buffer[] = []
  for await (const chunk of context.req) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const isJson = context.is('json') === 'json' && text !== ''
  Object.assign(context.request, { body: isJson ? JSON.parse(text) : { text } })
  await next()
}

describe.each<{ before: string; prepare: Middleware[] }>([
  { before: 'nothing', prepare: [] },
  { before: 'a parser of bodies', prepare: [bodyParser()] },
  {
    before: 'a parser of text',
    prepare: [bodyParser({ enableTypes: ['text'], extendTypes: { text: ['*/*'] } })],
  },
  { before: 'a parser that keeps no text', prepare: [parseAlone] },
])('in Koa behind $before', ({ prepare }) => {
  const mount = () =>
    start((app) => {
      for (const each of prepare) app.use(each)
      app.use(toKoa(auth.auth))
    })

  holdsInHost({ mount, auth: () => auth })
})

describe('in Koa that trusts a proxy', () => {
  const mount = () =>
    start((app) => {
      app.proxy = true
      app.use(toKoa(auth.auth))
    })

  holdsInHost({ mount, auth: () => auth })
})

describe('in Koa', () => {
  it.each([
    '/x/../auth/settings',
    'http://a.test/x/../auth/settings',
    'http://a.test/%2e%2e/auth/settings',
  ])('passes %s to the app, as its own middleware reads the path', async (path) => {
    const { port } = await start((app) =>
      app.use(toKoa(auth.auth)).use((context) => {
        context.status = 418
      }),
    )
    const sent = request({ port, path }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()

    expect(answer.statusCode).toBe(418)
  })

  it.each([
    ['alone', () => toKoa(auth.auth)],
    ['mounted', () => mountAt('/auth', toKoa(auth.auth))],
  ])('responds to a request with a URL in place of the path: %s', async (_, create) => {
    warn.mockClear()
    const { port } = await start((app) => app.use(create()))
    const sent = request({ port, path: 'http://app.example.test/auth/settings' }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()

    expect(answer.statusCode).toBe(200)
    expect(warn).not.toHaveBeenCalled()
  })

  it('passes requests outside basePath to the app', async () => {
    const { url } = await start((app) =>
      app
        .use(toKoa(auth.auth))
        .use(bodyParser())
        .use((context) => {
          context.body = context.request.body ?? 'own'
        }),
    )

    const own = await ask(url, 'POST', '/authors', { body: { name: 'Ada' }, headers: json })
    const ours = await ask(url, 'GET', '/auth/authors')

    expect(own.body).toEqual({ name: 'Ada' })
    expect([ours.status, ours.body.error_code]).toEqual([404, 'not_found'])
  })

  it('sends the headers that earlier middleware has set', async () => {
    const { url } = await start((app) =>
      app
        .use(async (context, next) => {
          context.set('x-frame-options', 'DENY')
          await next()
          context.set('x-late', '1')
        })
        .use(toKoa(auth.auth)),
    )

    const answer = await ask(url, 'GET', '/auth/health')

    expect([answer.status, answer.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
  })

  it('provides the user to a route of the app', async () => {
    const { url } = await start((app) =>
      app.use(async (context) => {
        context.body = (await auth.auth.requireUser(context)).user.email
      }),
    )
    const { user, accessToken: token } = await auth.given.session()

    const known = await ask(url, 'GET', '/me', { token })
    const unknown = await ask(url, 'GET', '/me')

    expect([known.text, unknown.status]).toEqual([user.email, 401])
  })

  it.each(['/auth', '/api/auth'])('can be mounted by koa-mount, at %s', async (basePath) => {
    warn.mockClear()
    const mounted = await startTestAuth({ basePath })
    const inner = new Koa().use(mountAt('/auth', toKoa(mounted.auth)))
    const { url } = await start((app) =>
      app.use(basePath === '/auth' ? mountAt('/', inner) : mountAt('/api', inner)),
    )

    const signUp = await ask(url, 'POST', `${basePath}/signup?a=b`, { body: newUser() })
    const discovery = await ask(url, 'GET', `${basePath}/.well-known/openid-configuration`)
    await mounted.close()

    expect(signUp.status).toBe(200)
    expect(discovery.body.jwks_uri).toBe(
      `https://app.example.test${basePath}/.well-known/jwks.json`,
    )
    expect(warn.mock.calls).toEqual([])
  })

  it('serves the documents of the OAuth server at the root of the host', async () => {
    await start((app) => app.use(toKoa(auth.auth)))

    const known = await ask(served.url, 'GET', '/.well-known/openid-configuration/auth')
    const other = await ask(served.url, 'GET', '/.well-known/security.txt')

    expect(known.body).toMatchObject({ issuer: 'https://app.example.test/auth' })
    expect([other.status, other.headers.get('content-type')]).toMatchObject([404, /text/])
  })

  it('warns once if koa-mount mounts it at another path than basePath', async () => {
    const mounted = await startTestAuth()
    warn.mockClear()
    const inner = new Koa().use(mountAt('/auth', toKoa(mounted.auth)))
    const { url } = await start((app) => app.use(mountAt('/api', inner)))

    const signUp = await ask(url, 'POST', '/api/auth/signup', { body: newUser() })
    await ask(url, 'GET', '/api/auth/health')
    await mounted.close()

    expect(signUp.status).toBe(200)
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("basePath: '/api/auth'"), { code: 'LATCHKEY_BASE_PATH' }],
    ])
  })
})
