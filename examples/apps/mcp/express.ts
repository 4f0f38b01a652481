import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import { protectResource, toExpress } from 'latchkey/express'
import { auth, mcp, port } from './auth.ts'
import { createNotes } from './notes.ts'

const app = express()

// Protects the MCP server: serves its metadata, and rejects requests without a valid token.
app.use(['/mcp', mcp.metadataPath], protectResource(mcp, { strict: true }))

app.post('/mcp', express.json(), async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  response.on('close', () => transport.close())
  await createNotes().connect(transport)
  await transport.handleRequest(request, response, request.body)
})
// Without MCP sessions, there is no stream to open (GET) and no session to end (DELETE).
app.all('/mcp', (_request, response) => void response.sendStatus(405))

app.use('/auth', toExpress(auth))
app.use('/.well-known', toExpress(auth))

await auth.ready()
app.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}/mcp`))
