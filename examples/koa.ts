// A Koa app that signs its own users in.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/koa.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey koa`,
// `cp node_modules/latchkey/examples/koa.ts .`, `node koa.ts`
import Koa from 'koa'
import { AuthError, createAuth } from 'latchkey'
import { toKoa } from 'latchkey/koa'

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
const app = new Koa()

app.use(async (context, next) => {
  try {
    await next()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    context.status = error.status
    context.body = { code: error.code, message: error.message }
  }
})

// The whole wire protocol below `basePath`. Body parsers may stand before it or after it.
app.use(toKoa(auth))

app.use(async (context) => {
  if (context.path === '/') context.body = { message: 'hello, guest' }
  if (context.path !== '/profile') return
  const { user } = await auth.requireUser(context)
  context.body = { message: `hello, ${user.email}` }
})

await auth.ready()
const server = app.listen(port, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${port}`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
