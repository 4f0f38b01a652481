// A Fastify app that signs its own users in.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/fastify.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey fastify`,
// `cp node_modules/latchkey/examples/fastify.ts .`, `node fastify.ts`
import Fastify from 'fastify'
import { createAuth } from 'latchkey'
import { toFastify } from 'latchkey/fastify'

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
const app = Fastify()

// The whole wire protocol, beside the app's own routes, hooks and parsers.
app.register(toFastify(auth), { prefix: '/auth' })

app.get('/', async () => ({ message: 'hello, guest' }))

// Fastify responds with the `status`, `code` and `message` of errors from `requireUser`.
app.get('/profile', async (request) => {
  const { user } = await auth.requireUser(request)
  return { message: `hello, ${user.email}` }
})

// Requests that run may end; then the database is closed.
app.addHook('onClose', () => auth.close())
process.once('SIGINT', () => app.close()).once('SIGTERM', () => app.close())

await auth.ready()
console.log(`Listening on ${await app.listen({ port, host: '127.0.0.1' })}`)
