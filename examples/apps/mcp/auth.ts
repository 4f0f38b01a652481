// An MCP server whose users sign in here: in `express.ts`, and the same in `fastify.ts` and `hono.ts`.
// `npm install`, `npm run dev`; or `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { createAuth } from 'latchkey'

export const port = Number(process.env.PORT ?? 3000)
const siteUrl = process.env.SITE_URL ?? `http://127.0.0.1:${port}`

export const auth = createAuth({
  siteUrl,
  basePath: '/auth',
  // Uses an embedded database, and shows mails instead of sending them.
  development: process.env.NODE_ENV === 'development',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET, issuer: `${siteUrl}/auth` },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  // Users sign in and consent on the pages of the package.
  pages: { enabled: true },
  oauthServer: {
    enabled: true,
    // MCP clients register themselves, or have a document that describes them.
    allowDynamicRegistration: true,
    clientIdMetadataDocuments: {
      enabled: true,
      // Only for clients of your own network: their documents are at private addresses.
      trustedHosts: process.env.TRUSTED_CLIENT_HOSTS?.split(','),
    },
    scopes: { 'notes:read': 'Read your notes' },
  },
})

/** The MCP server, as a resource: its tokens are accepted nowhere else. */
export const mcp = auth.protectedResource({
  resource: `${siteUrl}/mcp`,
  scopes: ['notes:read'],
  name: 'Notes of Acme',
})
