import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { auth } from './auth.ts'

/** The tools of the MCP server. They act for the user who granted access to the client. */
export function createNotes(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool(
    'list-notes',
    { description: 'Lists the notes of the user.', inputSchema: { containing: z.string() } },
    async ({ containing }, { authInfo }) => {
      const userId = String(authInfo?.extra?.userId)
      const user = await auth.admin.getUser(userId)
      const notes = [`a note of ${user.email}`, 'buy milk']
      return {
        content: notes
          .filter((note) => note.includes(containing))
          .map((text) => ({ type: 'text', text })),
      }
    },
  )
  return server
}
