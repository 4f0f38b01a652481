import type { IncomingMessage } from 'node:http'
import { defineHandler, H3 } from 'h3'
import { sendNodeResponse, toNodeHandler } from 'srvx/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { holdsInHost } from '../../../test/support/holds-in-host.ts'
import { type ServedCommand, serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { type Nitro2Event, toNitro } from './nitro.ts'

let auth: TestAuth
let served: ServedCommand | undefined

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
})
afterEach(async () => {
  await served?.close()
  served = undefined
})
afterAll(() => auth.close())

const mounted = async (handler: Parameters<typeof serve>[0]): Promise<ServedCommand> => {
  served = await serve(handler)
  return served
}

describe('in Nitro 3', () => {
  const mount = () => {
    const app = new H3().all('/auth/**', defineHandler(toNitro(() => auth.auth)))
    return mounted(toNodeHandler(app.fetch) as never)
  }

  holdsInHost({ mount, auth: () => auth })
})

/** An event of h3 version 1, whose `req` is that of Node. */
const eventOf = (req: IncomingMessage, context: object = {}): Nitro2Event & { req: object } => ({
  method: req.method ?? 'GET',
  path: req.url ?? '/',
  headers: new Headers(
    Object.entries(req.headers).map(([name, value]) => [name, String(value)] as [string, string]),
  ),
  node: { req },
  req,
  context,
})

const bytesOf = async (req: IncomingMessage) => Buffer.concat(await req.toArray())

describe.each<{ before: string; prepare: (req: IncomingMessage) => unknown }>([
  { before: 'nothing', prepare: () => {} },
  {
    before: 'readBody',
    prepare: (req) => Object.assign(req, { [Symbol.for('h3RawBody')]: bytesOf(req) }),
  },
  {
    before: 'a host that has the body already',
    prepare: async (req) => Object.assign(req, { body: await bytesOf(req) }),
  },
])('in Nitro 2 behind $before', ({ prepare }) => {
  const mount = () => {
    const handle = toNitro(auth.auth)
    return mounted(async (req, res) => {
      await prepare(req)
      await sendNodeResponse(res, await handle(eventOf(req)))
    })
  }

  holdsInHost({ mount, auth: () => auth })
})

describe('in Nitro 2', () => {
  async function handedOver(context: object) {
    const fetch = vi.fn(async (_request: Request, _options?: object) => new Response('{}'))
    const req = { headers: {}, socket: { remoteAddress: '203.0.113.7' } }
    await toNitro({ fetch })(eventOf(req as unknown as IncomingMessage, context))
    return fetch.mock.calls[0]?.[1]
  }

  it('passes on the address of the connection, and no waitUntil if the host has none', async () => {
    expect(await handedOver({})).toEqual({ ip: '203.0.113.7', waitUntil: undefined })
  })

  it('does not wait for a body that was read already, and warns', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const handle = toNitro(auth.auth)
    const { url } = await mounted(async (req, res) => {
      await bytesOf(req)
      await sendNodeResponse(res, await handle(eventOf(req)))
    })

    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(`${url}/auth/signup`, { method: 'POST', body: '{}', signal })
    const warnings = warn.mock.calls.map(([text]) => text)
    warn.mockRestore()

    expect([answer.status, await answer.json()]).toMatchObject([400, { error_code: 'bad_json' }])
    expect(warnings).toEqual([
      expect.stringMatching(/mount Latchkey before the code that reads bodies/),
    ])
  })

  it.each(['a b', 'x@y', 'u:p@app.example.test', '[::1', 'a:99999'])(
    'responds to a request whose host is %j',
    async (host) => {
      const fetch = vi.fn(async (request: Request) => new Response(new URL(request.url).pathname))
      const req = { headers: { host }, socket: {}, url: '/auth/health' }

      const answer = await toNitro({ fetch })(eventOf(req as unknown as IncomingMessage))

      expect(await answer.text()).toBe('/auth/health')
    },
  )

  it("prefers the host's own data", async () => {
    const given = await handedOver({ clientAddress: '203.0.113.9', waitUntil: () => {} })

    expect(given).toEqual({ ip: '203.0.113.9', waitUntil: expect.any(Function) })
  })
})
