import type { JsonWebKey } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServedCommand, serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { toNode } from '../../hosts/adapters/node.ts'
import { answering } from '../../platform/http/answer.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { statusRoutes } from '../status/status.route.ts'
import { createAnswerAtOnce } from './answer-at-once.ts'
import type { HandlerService } from './implement.ts'

let auth: TestAuth
let served: ServedCommand

afterEach(async () => {
  await served?.close().catch(() => {})
  await auth.close()
})

const constant = [
  '/health',
  '/settings',
  '/.well-known/jwks.json',
  '/.well-known/openid-configuration',
]
const managedKeys = { jwt: {}, encryptionKey: 'an encryption key for tests of 32 bytes' }

/** Returns a response without the headers that differ in each or that node:http adds. */
async function shape(response: Response) {
  const { 'x-request-id': id, ...headers } = Object.fromEntries(response.headers)
  for (const name of ['date', 'connection', 'keep-alive', 'content-length']) delete headers[name]
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  return { status: response.status, headers, body: await response.text() }
}

/** Counts the requests that are routed. */
function countRouted() {
  const app = auth.auth.app as never as { [answering]: (request: Request) => unknown }
  const { [answering]: answer } = app
  let count = 0
  app[answering] = Object.assign((request: Request) => {
    count += 1
    return answer(request)
  }, answer) as never
  return () => count
}

describe('a constant endpoint', () => {
  it.each(['', '/auth'])(
    'responds without routing as it does with it, below %j',
    async (basePath) => {
      auth = await startTestAuth({ ...managedKeys, basePath })
      await auth.auth.ready()
      const routed = countRouted()
      served = await serve(toNode(auth.auth))

      for (const path of constant) {
        const url = `${served.url}${basePath}${path}`
        const atOnce = await shape(await fetch(url))
        expect(atOnce).toEqual(await shape(await auth.auth.fetch(new Request(url))))
      }

      expect(routed()).toBe(0)
    },
  )

  it('routes any other request to it', async () => {
    auth = await startTestAuth()
    await auth.auth.ready()
    const routed = countRouted()
    served = await serve(toNode(auth.auth))

    const statuses = [
      await fetch(`${served.url}/health`, { method: 'HEAD' }),
      await fetch(`${served.url}/health`, { method: 'POST' }),
      await fetch(`${served.url}/health?a=b`),
      await fetch(`${served.url}/health/`),
      await fetch(`${served.url}/healthy`),
    ].map(({ status }) => status)

    expect(statuses).toEqual([200, 405, 200, 200, 404])
    expect(routed()).toBe(5)
  })

  it('returns other keys once they have changed', async () => {
    auth = await startTestAuth()
    const deps = await auth.deps()
    let published: JsonWebKey[] = [{ kid: 'first' }]
    const keys = { ...deps.keys, published: () => published }
    const service = { deps: { ...deps, keys }, pages: {} } as unknown as HandlerService
    const atOnce = createAnswerAtOnce(service, statusRoutes)
    const header = () => null
    const kids = () => {
      const target = '/.well-known/jwks.json'
      const { keys } = JSON.parse(atOnce?.({ method: 'GET', target, header })?.body ?? 'null')
      return keys.map(({ kid }: JsonWebKey) => kid)
    }

    const before = [kids(), kids()]
    published = [{ kid: 'second' }, { kid: 'first' }]

    expect([before, kids()]).toEqual([
      [['first'], ['first']],
      ['second', 'first'],
    ])
  })

  it('is logged, except /health, and has the id that the operator’s header contains', async () => {
    const lines: object[] = []
    const ignore = () => {}
    const logger: Logger = {
      debug: ignore,
      info: (fields, message) => {
        if (message === 'request completed') lines.push(fields)
      },
      warn: ignore,
      error: ignore,
      fatal: ignore,
    }
    auth = await startTestAuth({ logger, server: { requestIdHeader: 'x-trace' } })
    await auth.auth.ready()
    served = await serve(toNode(auth.auth))

    const headers = { 'x-trace': 'trace-1' }
    const settings = await fetch(`${served.url}/settings`, { headers })
    await fetch(`${served.url}/health`, { headers })

    expect(settings.headers.get('x-request-id')).toBe('trace-1')
    expect(lines).toEqual([
      {
        requestId: 'trace-1',
        method: 'GET',
        route: '/settings',
        status: 200,
        durationMs: expect.any(Number),
      },
    ])
  })

  it('responds in the order of the requests of a connection', async () => {
    auth = await startTestAuth()
    await auth.auth.ready()
    served = await serve(toNode(auth.auth))
    const { hostname, port } = new URL(served.url)
    const socket = connect(Number(port), hostname)
    const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`

    socket.write(
      request('/user') + request('/health') + request('/settings', 'connection: close\r\n'),
    )
    const answers = await text(socket)

    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual([
      'HTTP/1.1 401',
      'HTTP/1.1 200',
      'HTTP/1.1 200',
    ])
    expect(answers.indexOf('"name":"Latchkey"')).toBeLessThan(answers.indexOf('"disable_signup"'))
  })

  it('responds 503 after the end of the service', async () => {
    auth = await startTestAuth()
    await auth.auth.ready()
    served = await serve(toNode(auth.auth))
    await auth.auth.close()

    expect((await fetch(`${served.url}/health`)).status).toBe(503)
  })
})
