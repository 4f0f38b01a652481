import type { AuthConfig } from 'latchkey'

const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret } = process.env

/** The address of the site, as browsers see it. */
export const origin = (
  process.env.SITE_URL || `http://localhost:${process.env.PORT || 3000}`
).replace(/\/+$/, '')

/** Register it as the callback URL of the application at GitHub. */
const redirectUri = `${origin}/auth/callback/github`

/**
 * The settings. In development (`npm run dev`) the database is kept in `.latchkey/`, and mails are
 * shown on this machine instead of being sent. Production requires DATABASE_URL, JWT_SECRET,
 * SITE_URL and SMTP_URL.
 */
export const config = {
  siteUrl: origin,
  basePath: '/auth',
  development: process.argv.includes('--development'),
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  // The header of your proxy with the client's address; off without a proxy.
  rateLimits: { header: process.env.CLIENT_IP_HEADER },
  providers: clientId ? { github: { clientId, clientSecret, redirectUri } } : {},
} satisfies AuthConfig
