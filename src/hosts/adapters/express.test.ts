import express5 from 'express'
import express4 from 'express4'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { holdsInHost, newUser } from '../../../test/support/holds-in-host.ts'
import { type ServedCommand, serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { toExpress } from './express.ts'

let auth: TestAuth
let other: TestAuth
let served: ServedCommand

const json = { 'content-type': 'application/json' }

/** The app's own error handler. */
const respondWithName: express5.ErrorHandler = (error, _request, response, _next) =>
  response.status(400).json(error instanceof Error ? error.name : null)

/** Most tests mount without a base path. */
const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})

beforeAll(async () => {
  auth = await startTestAuth()
  other = await startTestAuth()
})
afterEach(() => served.close())
afterAll(async () => {
  warn.mockRestore()
  await Promise.all([auth.close(), other.close()])
})

describe.each([
  { version: 'Express 5', express: express5 },
  { version: 'Express 4', express: express4 },
])('$version', ({ express }) => {
  const start = async (build: (app: express5.Express) => void) => {
    const app = express()
    build(app)
    served = await serve(app)
  }

  describe.each<{ parser: string; parse: express5.Handler[] }>([
    { parser: 'none', parse: [] },
    { parser: 'a JSON parser', parse: [express.json()] },
    { parser: 'a form parser', parse: [express.urlencoded({ extended: true })] },
    { parser: 'all text', parse: [express.text({ type: () => true })] },
    { parser: 'all bytes', parse: [express.raw({ type: () => true })] },
    { parser: 'two parsers', parse: [express.json(), express.urlencoded({ extended: false })] },
  ])('with $parser before us', ({ parse }) => {
    const mount = async () => {
      await start((app) => {
        for (const each of parse) app.use(each)
        app.use('/auth', toExpress(auth.auth))
      })
      return served
    }

    holdsInHost({ mount, auth: () => auth })
  })

  it('can be mounted at the root, after other routes', async () => {
    await start((app) =>
      app.get('/own', (_, response) => response.json('own')).use(toExpress(auth.auth)),
    )

    const own = await ask(served.url, 'GET', '/own')
    const ours = await ask(served.url, 'POST', '/signup', { body: newUser() })
    const unknownRoute = await ask(served.url, 'GET', '/nobody')

    expect([own.body, ours.status]).toEqual(['own', 200])
    expect([unknownRoute.status, unknownRoute.body.error_code]).toEqual([404, 'not_found'])
  })

  it('uses its own address if the mount path is set in basePath', async () => {
    const based = await startTestAuth({ basePath: '/auth' })
    await start((app) => app.use(express.json()).use('/auth', toExpress(based.auth)))

    const signUp = await ask(served.url, 'POST', '/auth/signup', { body: newUser(), headers: json })
    const discovery = await ask(served.url, 'GET', '/auth/.well-known/openid-configuration')
    await based.close()

    expect(signUp.status).toBe(200)
    expect(discovery.body.jwks_uri).toBe('https://app.example.test/auth/.well-known/jwks.json')
  })

  it('serves the documents of the OAuth server at the root of the host, without a warning', async () => {
    const based = await startTestAuth({ basePath: '/auth', oauthServer: { enabled: true } })
    warn.mockClear()
    await start((app) =>
      app.use('/.well-known', toExpress(based.auth)).use('/auth', toExpress(based.auth)),
    )
    const atRoot = await Promise.all(
      ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'].map(
        (name) => ask(served.url, 'GET', `/.well-known/${name}/auth`),
      ),
    )
    const below = await ask(served.url, 'GET', '/auth/.well-known/oauth-authorization-server')
    const others = await Promise.all(
      ['openid-configuration', 'openid-configuration/other', 'security.txt'].map((name) =>
        ask(served.url, 'GET', `/.well-known/${name}`),
      ),
    )
    const preflight = await ask(served.url, 'OPTIONS', '/.well-known/openid-configuration/auth', {
      headers: { origin: 'https://a.example.test', 'access-control-request-method': 'GET' },
    })
    await based.close()

    expect(atRoot.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(atRoot[0]?.body).toEqual(below.body)
    expect(atRoot[1]?.body).toEqual(below.body)
    expect(atRoot[0]?.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.status).toBe(204)
    expect(below.body.issuer).toBe('https://app.example.test/auth')
    expect(others.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(warn.mock.calls).toEqual([])
    expect(JSON.stringify(based.log)).not.toContain('has another path than basePath')
  })

  it('H35: warns once if it is mounted at another path than basePath', async () => {
    warn.mockClear()
    await start((app) => app.use('/auth', toExpress(auth.auth)))

    await ask(served.url, 'GET', '/auth/health')
    await ask(served.url, 'GET', '/auth/health')

    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("basePath: '/auth'"), { code: 'LATCHKEY_BASE_PATH' }],
    ])
  })

  it('warns if it is mounted at another path than basePath, and not for one above it', async () => {
    const based = await startTestAuth({ basePath: '/api/auth' })
    warn.mockClear()
    await start((app) => app.use('/api', toExpress(based.auth)))
    await ask(served.url, 'GET', '/API/auth/health')
    expect(warn.mock.calls).toEqual([])
    await served.close()

    await start((app) => app.use('/auth', toExpress(based.auth)))
    await ask(served.url, 'GET', '/auth/health')
    await based.close()

    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('its basePath is /api/auth'), { code: 'LATCHKEY_BASE_PATH' }],
    ])
  })

  it('passes requests outside its path to the app', async () => {
    await start((app) =>
      app
        .use('/auth', toExpress(auth.auth))
        .use(express.json())
        .post('/authors', (request, response) => response.json(request.body)),
    )

    const own = await ask(served.url, 'POST', '/authors', { body: { name: 'Ada' }, headers: json })
    const ours = await ask(served.url, 'GET', '/auth/authors')
    const apps = await ask(served.url, 'GET', '/nobody')

    expect(own.body).toEqual({ name: 'Ada' })
    expect([ours.status, ours.body.error_code]).toEqual([404, 'not_found'])
    expect([apps.status, apps.headers.get('content-type')]).toMatchObject([404, /html/])
  })

  it('runs two services in one process, with separate users', async () => {
    await start((app) => app.use('/one', toExpress(auth.auth)).use('/two', toExpress(other.auth)))
    const body = newUser()

    await ask(served.url, 'POST', '/one/signup', { body })
    const one = await ask(served.url, 'POST', '/one/token?grant_type=password', { body })
    const two = await ask(served.url, 'POST', '/two/token?grant_type=password', { body })

    expect([one.status, two.status]).toEqual([200, 400])
  })

  it('stores the address of the socket, even if the app trusts a proxy', async () => {
    await start((app) =>
      Object.assign(app, { 'trust proxy': true }).use('/auth', toExpress(auth.auth)),
    )
    const headers = { 'x-forwarded-for': '198.51.100.1' }

    const { body } = await ask(served.url, 'POST', '/auth/signup', { body: newUser(), headers })

    const [session] = await auth.rows('select ip from auth.sessions where user_id = $1', [
      body.user.id,
    ])
    expect(session).toEqual({ ip: '127.0.0.1' })
  })

  it('provides the user to a route of the app', async () => {
    await start((app) =>
      app.get('/me', async (request, response) => {
        const answer = await auth.auth.requireUser(request).catch((error) => ({ user: error }))
        response.json({ email: answer.user.email, code: answer.user.code })
      }),
    )
    const { user, accessToken: token } = await auth.given.session()

    const known = await ask(served.url, 'GET', '/me', { token })
    const unknown = await ask(served.url, 'GET', '/me')

    expect([known.body.email, unknown.body.code]).toEqual([user.email, 'no_authorization'])
  })

  it("passes a body that cannot be parsed to the app's error handler, and continues", async () => {
    await start((app) =>
      app.use(express.json()).use('/auth', toExpress(auth.auth)).use(respondWithName),
    )

    const broken = await fetch(`${served.url}/auth/signup`, {
      method: 'POST',
      headers: json,
      body: '{"email":',
    })
    const next = await ask(served.url, 'POST', '/auth/signup', { body: newUser(), headers: json })

    expect([broken.status, await broken.json()]).toEqual([400, 'SyntaxError'])
    expect(next.status).toBe(200)
  })
})
