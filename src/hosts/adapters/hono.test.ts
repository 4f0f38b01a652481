import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it, vi } from 'vitest'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { toHono } from './hono.ts'

/** Returns the options that the service receives with a request. */
async function handedOver(
  env: unknown,
  executionCtx?: { waitUntil(work: Promise<unknown>): void },
) {
  const fetch = vi.fn(async (_request: Request, _options?: object) => new Response('{}'))
  const app = new Hono()
  app.all('/auth/*', toHono({ fetch }))
  await app.request('/auth/health', {}, env as object, executionCtx as never)
  return fetch.mock.calls[0]?.[1] as { ip?: string; waitUntil?: (work: Promise<void>) => void }
}

describe('the address of the client', () => {
  it.each<[string, unknown]>([
    ['@hono/node-server', { incoming: { socket: { remoteAddress: '203.0.113.7' } } }],
    [
      '@hono/node-server below Vite',
      { server: { incoming: { socket: { remoteAddress: '203.0.113.7' } } } },
    ],
    ['Bun', { requestIP: () => ({ address: '203.0.113.7' }) }],
    ['Bun, with bindings', { server: { requestIP: () => ({ address: '203.0.113.7' }) } }],
    ['Deno', { remoteAddr: { hostname: '203.0.113.7', transport: 'tcp' } }],
  ])('is that of the connection on %s', async (_, env) => {
    expect(await handedOver(env)).toMatchObject({ ip: '203.0.113.7' })
  })

  it.each<[string, unknown]>([
    ['without bindings', undefined],
    ['of a worker', { DATABASE: {} }],
    ['of Bun, on a socket that is gone', { requestIP: () => null }],
  ])('is not known %s', async (_, env) => {
    expect((await handedOver(env)).ip).toBeUndefined()
  })
})

it('passes on waitUntil if the host has it', async () => {
  const waitUntil = vi.fn()
  const work = Promise.resolve()

  const given = await handedOver({}, { waitUntil })
  given.waitUntil?.(work)

  expect(waitUntil).toHaveBeenCalledWith(work)
  expect((await handedOver({})).waitUntil).toBeUndefined()
})

describe('an error that a route throws', () => {
  const app = new Hono()
    .get('/profile', () => {
      throw new AuthError('over_request_rate_limit', 429, 'Wait', { retryAfterSeconds: 7 })
    })
    .get('/teapot', () => {
      throw new HTTPException(418, { message: 'short and stout' })
    })

  it('is sent with its status, code and message by Hono alone', async () => {
    const response = await app.request('/profile')

    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await response.json()).toEqual({ code: 'over_request_rate_limit', message: 'Wait' })
  })

  it("is sent as Hono's own errors are, in an error handler of the application", async () => {
    const handled = new Hono()
      .route('/', app)
      .onError((error, c) =>
        'getResponse' in error ? (error as HTTPException).getResponse() : c.text('fault', 500),
      )

    const statuses = ['/profile', '/teapot'].map(
      async (path) => (await handled.request(path)).status,
    )

    expect(await Promise.all(statuses)).toEqual([429, 418])
  })
})

it('creates the service with the first request if it receives a function', async () => {
  const make = vi.fn(() => ({ fetch: async () => new Response('{}') }))
  const app = new Hono().all('/auth/*', toHono(make))
  expect(make).not.toHaveBeenCalled()

  await app.request('/auth/health')

  expect(make).toHaveBeenCalled()
})

it('rejects a method that no Request can have', async () => {
  const fetch = vi.fn()
  const context = { req: { raw: { method: 'TRACE', headers: new Headers(), bodyUsed: true } } }

  const answer = await toHono({ fetch })(context as never)

  expect([answer.status, answer.headers.get('allow')?.includes('TRACE')]).toEqual([405, false])
})

it('passes a form that middleware could not read to the service', async () => {
  const fetch = vi.fn(async (request: Request) => new Response(`${await request.text()}.`))
  const app = new Hono()
  app.use(async ({ req }, next) => {
    await req.parseBody().catch(() => {})
    await next()
  })
  app.all('/auth/*', toHono({ fetch }))
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }

  const answer = await app.request('/auth/token', { method: 'POST', headers, body: '--x\r\nfoo' })

  expect([answer.status, await answer.text()]).toEqual([200, '.'])
})
