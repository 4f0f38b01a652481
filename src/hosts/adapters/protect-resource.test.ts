import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, serve } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { H3, serve as serveH3 } from 'h3'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { asOauthServer, type GivenClient, oauthOf } from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { ProtectedResource, ResourceAccess } from '../../service/api/protected-resource.ts'
import {
  type ExpressResourceHandler,
  type ExpressResourceRequest,
  type ExpressResourceResponse,
  protectResource as protectInExpress,
} from './express.ts'
import { toFastify } from './fastify.ts'
import { protectResource as protectInHono, type ResourceVariables } from './hono.ts'
import { protectResource as protectInH3 } from './nitro.ts'

const resourceUrl = 'https://api.example.test/mcp'
const metadataPath = '/.well-known/oauth-protected-resource/mcp'
const metadataUrl = `https://api.example.test${metadataPath}`

let auth: TestAuth
let client: GivenClient
let mcp: ProtectedResource
let token: string

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    oauthServer: { ...asOauthServer.oauthServer, scopes: { 'mcp:use': 'Use the tools' } },
  })
  const oauth = oauthOf(auth)
  client = await oauth.client()
  mcp = auth.auth.protectedResource({ resource: resourceUrl, scopes: ['mcp:use'] })
  const { accessToken } = await auth.given.session()
  const scope = { scope: 'mcp:use', resource: resourceUrl }
  token = (await oauth.tokens(client, accessToken, scope)).access_token
})
afterAll(() => auth?.close())

/** The access that a handler received, as its response. */
const seen = ({ clientId, scopes }: ResourceAccess, info?: { expiresAt: number }) => ({
  clientId,
  scopes,
  ...(info && { hasSeconds: info.expiresAt < 1e10 }),
})

/** The part of an app of Express, version 4 or 5. */
interface ExpressApp {
  use(paths: string[], handler: ExpressResourceHandler): void
  all(path: string, handler: Handler): void
  get(path: string, handler: Handler): void
}

type Handler = (
  request: ExpressResourceRequest,
  response: ExpressResourceResponse & { json(value: unknown): void },
) => void

interface Running {
  url: string
  close(): void
}

const listening = async (server: import('node:http').Server): Promise<Running> => {
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const startExpress = (create: () => unknown) => () => {
  const app = create() as ExpressApp
  app.use(['/mcp', mcp.metadataPath], protectInExpress(mcp))
  app.all('/mcp', (request, response) => {
    const { access } = response.locals
    if (!access) throw new Error('no access')
    response.json(seen(access, request.auth))
  })
  app.get('/', (_request, response) => void response.json({ isPublic: true }))
  return listening(createServer(app as never).listen(0, '127.0.0.1'))
}

const startHono = () => {
  const app = new Hono<{ Variables: ResourceVariables }>()
  app.on(
    'ALL',
    ['/mcp', mcp.metadataPath],
    protectInHono(() => mcp),
  )
  app.all('/mcp', (c) => c.json(seen(c.get('access'), c.get('auth'))))
  app.get('/', (c) => c.json({ isPublic: true }))
  // Other files of this process have their own Request and Response.
  const options = { port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }
  return listening(serve({ ...options, fetch: app.fetch }) as import('node:http').Server)
}

const startH3 = async () => {
  const app = new H3()
    .use('/mcp', protectInH3(mcp))
    .use(mcp.metadataPath, protectInH3(mcp))
    .all('/mcp', ({ context }) => seen(context['access'] as ResourceAccess))
    .get('/', () => ({ isPublic: true }))
  const server = serveH3(app, { port: 0, hostname: '127.0.0.1', silent: true })
  await server.ready()
  return { url: (server.url ?? '').replace(/\/$/, ''), close: () => void server.close(true) }
}

/** Protects a route in the way of examples/apps/mcp/fastify.ts, without an MCP server. */
const startFastify = async () => {
  const app = Fastify()
  app.route({
    method: ['GET', 'HEAD', 'OPTIONS'],
    url: mcp.metadataPath,
    handler: (request) => mcp.protect(request),
  })
  app.all('/mcp', async (request, reply) => {
    const access = await mcp.protect(request)
    return access instanceof Response ? reply.send(access) : seen(access)
  })
  app.get('/', async () => ({ isPublic: true }))
  app.register(toFastify(auth.auth), { prefix: '/.well-known' })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return { url, close: () => void app.close() }
}

/** The status of a `POST` to the metadata: the service responds where their route is for reads. */
describe.each<[string, () => Promise<Running>, number]>([
  ['Express 5', startExpress(express), 401],
  ['Express 4', startExpress(express4), 401],
  ['Hono', startHono, 401],
  ['h3', startH3, 401],
  ['Fastify', startFastify, 404],
])('protectResource of %s', (_, start, statusOfPost) => {
  let running: Running
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running.close())

  const ask = (path: string, method = 'GET', bearer?: string) =>
    fetch(running.url + path, {
      method,
      ...(bearer && { headers: { authorization: `Bearer ${bearer}` } }),
    })

  it('passes requests with access on, and leaves other routes alone', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await ask('/mcp?a=1', method, token)
      expect(await answer.json()).toMatchObject({ clientId: client.id, scopes: ['mcp:use'] })
    }
    expect(await (await ask('/')).json()).toEqual({ isPublic: true })
  })

  it('rejects other requests, with the URL of the metadata', async () => {
    const { accessToken } = await auth.given.session()
    const answers = [await ask('/mcp'), await ask('/mcp', 'POST', accessToken)]

    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    for (const { headers } of answers) {
      expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadataUrl}"`)
    }
    expect(await answers[0]?.json()).toMatchObject({ code: 'no_authorization' })
  })

  it('returns the metadata, also to scripts of other origins', async () => {
    const document = await ask(metadataPath)
    const preflight = await ask(metadataPath, 'OPTIONS')

    expect(await document.json()).toEqual(mcp.metadata)
    expect((await ask(metadataPath, 'HEAD')).status).toBe(200)
    for (const { status, headers } of [document, preflight]) {
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    }
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*')
    expect((await ask(metadataPath, 'POST')).status).toBe(statusOfPost)
  })
})

it('supplies servers of the MCP SDK with the end of the access in seconds', async () => {
  const running = await startExpress(express)()
  const answer = await fetch(`${running.url}/mcp`, {
    headers: { authorization: `Bearer ${token}` },
  })
  running.close()

  expect(await answer.json()).toMatchObject({ hasSeconds: true })
})

it('protects a path in every letter case, as Express routes it', async () => {
  const running = await startExpress(express)()
  const answer = await fetch(`${running.url}/MCP/`)
  running.close()

  expect(answer.status).toBe(401)
})

it('S83: serves the metadata below a mount of Nitro 2, which removes its prefix from the path', async () => {
  const event = {
    method: 'GET',
    path: '/',
    headers: new Headers(),
    node: { req: { url: '/', originalUrl: mcp.metadataPath } },
    context: {},
  }

  const answer = (await protectInH3(mcp)(event)) as Response

  expect([answer.status, await answer.json()]).toEqual([200, mcp.metadata])
})

it('requires the scopes of the route, and passes faults to the host', async () => {
  const app = new Hono()
  app.all('/mcp', protectInHono(mcp, { scope: 'email' }))
  app.all('/fault', protectInHono({ ...mcp, protect: () => Promise.reject(new Error('fault')) }))
  app.onError((error) => new Response(error.message, { status: 500 }))
  const headers = { authorization: `Bearer ${token}` }

  const missing = await app.request('/mcp', { headers })
  const fault = await app.request('/fault', { headers })

  expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringContaining('error="insufficient_scope"'),
  ])
  expect([fault.status, await fault.text()]).toEqual([500, 'fault'])
})

it('returns responses that are instances of the class of the host', async () => {
  // `@hono/node-server` replaces the global classes.
  const classes = { Request, Response }
  getRequestListener(() => new Response())
  onTestFinished(() => void Object.assign(globalThis, classes))
  expect(Response).not.toBe(classes.Response)
  const rejected = await mcp.protect(new Request(resourceUrl))
  const document = await mcp.protect(new Request(metadataUrl))

  expect([rejected instanceof Response, document instanceof Response]).toEqual([true, true])
})
