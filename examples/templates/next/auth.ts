import { createSharedAuth } from 'latchkey/shared'
import { after } from 'next/server'

const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = process.env

export const hasGithub = clientId !== undefined

const siteUrl = (process.env.SITE_URL || 'http://localhost:3000').replace(/\/+$/, '')

/** Register it as the callback URL of the application at GitHub. */
const redirectUri = `${siteUrl}/auth/callback/github`

/**
 * In development (`npm run dev`) the database is kept in `.latchkey/`, and mails are shown on this
 * machine instead of being sent. Production requires DATABASE_URL, JWT_SECRET, SITE_URL and
 * SMTP_URL.
 */
export const { auth, sessions } = createSharedAuth(() => ({
  siteUrl,
  basePath: '/auth',
  development: process.env.NODE_ENV === 'development',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  // The header of your proxy with the client's address; off without a proxy.
  rateLimits: { header: process.env.CLIENT_IP_HEADER },
  providers: clientId ? { github: { clientId, clientSecret, redirectUri } } : {},
  // Sends messages after the response of a request or action, on serverless hosts too.
  background: { waitUntil: after },
}))
