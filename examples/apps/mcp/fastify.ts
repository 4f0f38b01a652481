import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import Fastify from 'fastify'
import { toFastify } from 'latchkey/fastify'
import { auth, mcp, port } from './auth.ts'
import { createNotes } from './notes.ts'

const app = Fastify()

// The metadata, by which clients find the service. OPTIONS is for clients in browsers.
app.route({
  method: ['GET', 'HEAD', 'OPTIONS'],
  url: mcp.metadataPath,
  handler: (request) => mcp.protect(request),
})

app.post('/mcp', async (request, reply) => {
  const access = await mcp.protect(request, { strict: true })
  if (access instanceof Response) return reply.send(access)

  const { token, clientId, scopes, userId } = access
  const authInfo = { token, clientId, scopes, extra: { userId } }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  reply.raw.on('close', () => transport.close())
  await createNotes().connect(transport)
  reply.hijack()
  await transport.handleRequest(
    Object.assign(request.raw, { auth: authInfo }),
    reply.raw,
    request.body,
  )
})
// Without MCP sessions, there is no stream to open (GET) and no session to end (DELETE).
app.route({
  method: ['GET', 'DELETE'],
  url: '/mcp',
  handler: (_request, reply) => reply.code(405).send(),
})

app.register(toFastify(auth), { prefix: '/auth' })
// Of the routes below `/.well-known`, that of the metadata is more specific.
app.register(toFastify(auth), { prefix: '/.well-known' })

await auth.ready()
await app.listen({ port, host: '127.0.0.1' })
console.log(`Listening on http://127.0.0.1:${port}/mcp`)
