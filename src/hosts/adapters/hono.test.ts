import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
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
