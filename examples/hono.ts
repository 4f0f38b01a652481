// A Hono app, on Hono's server for Node, that signs its own users in.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/hono.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey hono @hono/node-server`,
// `cp node_modules/latchkey/examples/hono.ts .`, `node hono.ts`
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createAuth } from 'latchkey'
import { toHono } from 'latchkey/hono'

const port = Number(process.env.PORT ?? 3000)
const auth = createAuth({
  // Mails are shown on this machine instead of being sent; the start prints the address.
  development: true,
  // Links in mails lead to these.
  siteUrl: `http://127.0.0.1:${port}`,
  basePath: '/auth',
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
})
const app = new Hono()

// The whole wire protocol, before what reads bodies or after it.
app.all('/auth/*', toHono(auth))

app.get('/', (c) => c.json({ message: 'hello, guest' }))

app.get('/profile', async (c) => {
  const { user } = await auth.requireUser(c.req.raw)
  return c.json({ message: `hello, ${user.email}` })
})

await auth.ready()
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`Listening on http://127.0.0.1:${port}`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
