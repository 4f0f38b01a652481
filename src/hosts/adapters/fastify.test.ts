import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { holdsInHost, newUser } from '../../../test/support/holds-in-host.ts'
import type { ServedCommand } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { toFastify } from './fastify.ts'

let auth: TestAuth
let app: FastifyInstance

const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
})
afterEach(() => app.close())
afterAll(async () => {
  warn.mockRestore()
  await auth.close()
})

async function start(build: (app: FastifyInstance) => void, options = {}): Promise<ServedCommand> {
  app = Fastify(options)
  build(app)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, port: Number(new URL(url).port), close: () => app.close() }
}

const json = { 'content-type': 'application/json' }

describe.each<{ what: string; prepare: (app: FastifyInstance) => void; options?: object }>([
  { what: 'as it comes', prepare: () => {} },
  { what: 'that trusts a proxy', prepare: () => {}, options: { trustProxy: true } },
  {
    what: 'whose own parser takes whatever comes',
    prepare: (app) =>
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) =>
        done(null, text),
      ),
  },
  {
    what: 'that takes no body of more than ten bytes',
    prepare: () => {},
    options: { bodyLimit: 10 },
  },
])('in Fastify $what', ({ prepare, options }) => {
  const mount = () =>
    start((app) => {
      prepare(app)
      app.register(toFastify(auth.auth), { prefix: '/auth' })
    }, options)

  holdsInHost({ mount, auth: () => auth })
})

describe('in Fastify', () => {
  it('sends the headers that hooks of the app have set', async () => {
    const { url } = await start((app) => {
      app.addHook('onRequest', async (_request, reply) => {
        reply.header('x-frame-options', 'DENY').header('x-number', 5)
      })
      app.register(toFastify(auth.auth), { prefix: '/auth' })
    })

    const answer = await ask(url, 'GET', '/auth/health')

    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.headers.get('x-number')).toBe('5')
    expect(answer.headers.get('content-type')).toMatch('application/json')
  })

  it('allows a hook of the app to reject, and runs later hooks after a response', async () => {
    const seen: string[] = []
    const { url } = await start((app) => {
      app.addHook('onRequest', async (request, reply) => {
        if (request.headers['x-closed']) return reply.code(503).send({ closed: true })
        return undefined
      })
      app.addHook('onResponse', async (request, reply) => {
        seen.push(`${request.url} ${reply.raw.statusCode}`)
      })
      app.register(toFastify(auth.auth), { prefix: '/auth' })
    })

    const refused = await ask(url, 'GET', '/auth/health', { headers: { 'x-closed': '1' } })
    const unknown = await ask(url, 'GET', '/auth/nowhere')
    await waitFor(() => expect(seen).toHaveLength(2))

    expect([refused.status, unknown.status]).toEqual([503, 404])
    expect(seen).toEqual(['/auth/health 503', '/auth/nowhere 404'])
  })

  it("does not affect the app's own routes and parsers", async () => {
    const { url } = await start((app) => {
      app.register(toFastify(auth.auth), { prefix: '/auth' })
      app.post('/authors', async (request) => request.body)
    })

    const own = await ask(url, 'POST', '/authors', { body: { name: 'Ada' }, headers: json })
    const ours = await ask(url, 'GET', '/auth')
    const apps = await ask(url, 'GET', '/nobody')

    expect(own.body).toEqual({ name: 'Ada' })
    expect([ours.status, ours.body.error_code]).toEqual([404, 'not_found'])
    expect([apps.status, apps.body.error_code]).toEqual([404, undefined])
  })

  it('responds to injected requests, as in tests of apps', async () => {
    app = Fastify()
    app.register(toFastify(auth.auth), { prefix: '/auth' })

    const answer = await app.inject({ method: 'POST', url: '/auth/signup', payload: newUser() })

    expect(answer.statusCode).toBe(200)
    expect(answer.json().access_token).toEqual(expect.any(String))
  })

  it('provides the user to a route of the app', async () => {
    const { url } = await start((app) =>
      app.get('/me', async (request) => (await auth.auth.requireUser(request)).user.email),
    )
    const { user, accessToken: token } = await auth.given.session()

    const known = await ask(url, 'GET', '/me', { token })
    const unknown = await ask(url, 'GET', '/me')

    expect(known.text).toBe(user.email)
    expect([unknown.status, unknown.body.code]).toEqual([401, 'no_authorization'])
  })

  it.each([
    { basePath: '', prefix: '/auth', warning: "basePath: '/auth'", status: 200 },
    { basePath: '/auth', prefix: '/login', warning: 'its basePath is /auth', status: 404 },
  ])('warns at start if prefix $prefix is combined with basePath “$basePath”', async (mismatch) => {
    const { basePath, prefix, warning, status } = mismatch
    const other = await startTestAuth({ basePath })
    warn.mockClear()
    const { url } = await start((app) => app.register(toFastify(other.auth), { prefix }))

    expect(warn.mock.calls).toEqual([
      [expect.stringContaining(warning), { code: 'LATCHKEY_BASE_PATH' }],
    ])
    const health = await ask(url, 'GET', `${prefix}/health?a=b`)
    await other.close()
    expect(health.status).toBe(status)
  })

  it('can be mounted at the root, with any basePath', async () => {
    warn.mockClear()
    const { url } = await start((app) => app.register(toFastify(auth.auth)))

    expect((await ask(url, 'GET', '/auth/health')).status).toBe(200)
    expect(warn.mock.calls).toEqual([])
  })
})
