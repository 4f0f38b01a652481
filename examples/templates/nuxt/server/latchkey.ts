import { createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'

/**
 * Called at start: a build loads this module too, without the production settings. In development
 * (`npm run dev`) the database is kept in `.latchkey/`, and mails are shown on this machine instead
 * of being sent. Production requires DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
 */
export default () => {
  const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = process.env
  const siteUrl = (process.env.SITE_URL || 'http://localhost:3000').replace(/\/+$/, '')
  /** Register it as the callback URL of the application at GitHub. */
  const redirectUri = `${siteUrl}/auth/callback/github`
  const auth = createAuth({
    siteUrl,
    basePath: '/auth',
    development: import.meta.dev,
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
    // The header of your proxy with the client's address; off without a proxy.
    rateLimits: { header: process.env.CLIENT_IP_HEADER },
    providers: clientId ? { github: { clientId, clientSecret, redirectUri } } : {},
  })
  return createCookieSessions(auth, { origin: siteUrl, development: import.meta.dev })
}
