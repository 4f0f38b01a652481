import { serve } from '@hono/node-server'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { Hono } from 'hono'
import { protectResource, type ResourceVariables, toHono } from 'latchkey/hono'
import { auth, mcp, port } from './auth.ts'
import { createNotes } from './notes.ts'

const app = new Hono<{ Variables: ResourceVariables }>()

// Protects the MCP server: serves its metadata, and rejects requests without a valid token.
app.on('ALL', ['/mcp', mcp.metadataPath], protectResource(mcp, { strict: true }))

app.post('/mcp', async (c) => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await createNotes().connect(transport)
  return transport.handleRequest(c.req.raw, { authInfo: c.get('auth') })
})
// Without MCP sessions, there is no stream to open (GET) and no session to end (DELETE).
app.all('/mcp', (c) => c.body(null, 405))

app.all('/auth/*', toHono(auth))
app.all('/.well-known/*', toHono(auth))

await auth.ready()
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
console.log(`Listening on http://127.0.0.1:${port}/mcp`)
