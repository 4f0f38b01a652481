import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { toHono } from '../src/hosts/adapters/hono.ts'
import { holdsInHost } from './support/holds-in-host.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

let auth: TestAuth
let server: Server

beforeAll(async () => {
  auth = await startTestAuth({ basePath: '/auth' })
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
})
afterAll(() => auth.close())

const leaveBody: MiddlewareHandler = (_context, next) => next()

const readBody: MiddlewareHandler = async (context, next) => {
  if (context.req.method !== 'GET' && context.req.method !== 'HEAD') await context.req.text()
  await next()
}

const parseBody: MiddlewareHandler = async (context, next) => {
  const type = context.req.header('content-type') ?? ''
  if (type.includes('json')) await context.req.json().catch(() => {})
  if (type.includes('form')) await context.req.parseBody()
  await next()
}

describe.each([
  { before: 'nothing that reads bodies', middleware: leaveBody },
  { before: 'middleware that reads bodies', middleware: readBody },
  { before: 'middleware that parses bodies', middleware: parseBody },
])('in Hono behind $before', ({ middleware }) => {
  const mount = async () => {
    const app = new Hono()
    app.use(middleware)
    app.all('/auth/*', toHono(auth.auth))
    // Other files of this process have their own Request and Response.
    const options = { port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }
    server = serve({ ...options, fetch: app.fetch }) as Server
    if (!server.listening) await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, port, close: async () => void server.close() }
  }

  holdsInHost({ mount, auth: () => auth })
})
