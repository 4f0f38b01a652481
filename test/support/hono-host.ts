// Latchkey in Hono on Hono's own server for Node, which replaces Request and Response, and in the
// same process on node:http. The argument states which one starts first: `host-first` or
// `latchkey-first`.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import { every } from 'hono/combine'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'

const app = new Hono()
const begin = () =>
  new Promise<Server>((resolve) => {
    const listening = () => resolve(server as Server)
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, listening)
  })

const early = process.argv[2] === 'host-first' ? await begin() : null
const { createAuth } = await import('latchkey')
const { toNode } = await import('latchkey/node')

const auth = createAuth(JSON.parse(process.env['LATCHKEY_CONFIG'] ?? '{}'))
await auth.ready()

const dress = every(cors({ origin: 'https://app.example.test' }), compress())
app.use('/auth/*', (c, next) => (c.req.header('x-dressed') ? dress(c, next) : next()))
app.all('/auth/*', (c: Context) => auth.fetch(c.req.raw, { ip: getConnInfo(c).remote.address }))
app.mount('/mounted', auth.app.fetch)

const hono = early ?? (await begin())
const node = createServer(toNode(auth)).listen(0, '127.0.0.1', () => {
  const [honoPort, nodePort] = [hono, node].map((server) => (server.address() as AddressInfo).port)
  console.log(`LISTENING ${honoPort} ${nodePort}`)
})
