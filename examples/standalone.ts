// A server of its own, over node:http. Start: `node --conditions=latchkey-source examples/standalone.ts`
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'

const auth = createAuth({
  development: true,
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
})
const server = createServer(toNode(auth))

await auth.ready()
server.listen(Number(process.env.PORT ?? 8081), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(`Listening on ${url}

  curl ${url}/signup -d '{"email":"ada@example.com","password":"correct horse"}'`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
