// A server of the Fetch standard, as Bun, Deno and srvx have one: a function from a request to a response.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/fetch.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey srvx`,
// `cp node_modules/latchkey/examples/fetch.ts .`, `node fetch.ts`
import { AuthError, createAuth } from 'latchkey'
import { type ServerRequest, serve } from 'srvx'

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

async function answer(request: ServerRequest): Promise<Response> {
  const { pathname } = new URL(request.url)
  // The peer of the connection identifies the client. Without it, and without a header of a proxy in
  // `rateLimits.header`, there are no limits per client.
  if (pathname.startsWith('/auth/')) return auth.fetch(request, { ip: request.ip })
  if (pathname === '/') return Response.json({ message: 'hello, guest' })
  if (pathname === '/profile') return profile(request)
  return new Response(null, { status: 404 })
}

async function profile(request: Request): Promise<Response> {
  try {
    const { user } = await auth.requireUser(request)
    return Response.json({ message: `hello, ${user.email}` })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.getResponse()
  }
}

await auth.ready()
const options = { port, hostname: '127.0.0.1', silent: true, gracefulShutdown: false }
const server = await serve({ ...options, fetch: answer }).ready()
console.log(`Listening on http://127.0.0.1:${port}`)

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

async function stop() {
  await server.close()
  await auth.close()
}
