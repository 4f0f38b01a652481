import { createServer } from 'node:http2'
import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'

// A server of a host, with HTTP/2 and without a limit of its streams.

const auth = createAuth({
  siteUrl: 'https://app.example.test',
  externalUrl: 'https://app.example.test',
  database: { url: process.env.DATABASE_URL },
  jwt: { secret: process.env.SECRET },
  email: { autoconfirm: true },
  rateLimits: { header: 'x-client' },
})
await auth.ready()
const server = createServer(toNode(auth)).listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  console.log(port)
})
