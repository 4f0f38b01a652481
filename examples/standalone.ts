// A server of its own, over node:http.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/standalone.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey`,
// `cp node_modules/latchkey/examples/standalone.ts .`, `node standalone.ts`
import { createServer } from 'node:http'
import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'

const port = Number(process.env.PORT ?? 8081)
const auth = createAuth({
  // Mails are shown on this machine instead of being sent; the start prints the address.
  development: true,
  // Links in mails lead here, and from here to `siteUrl`.
  externalUrl: `http://127.0.0.1:${port}`,
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
})
const server = createServer(toNode(auth))

await auth.ready()
server.listen(port, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${port}`
  console.log(`Listening on ${url}

  curl ${url}/signup -d '{"email":"ada@example.com","password":"correct horse"}'
  curl ${url}/verify -d '{"type":"signup","email":"ada@example.com","token":"CODE OF THE MAIL"}'`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
