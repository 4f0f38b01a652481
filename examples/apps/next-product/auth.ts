// A Next product: sign-up, recovery, a provider, second factor, step-up, an admin list and sign-out everywhere.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { oidc } from 'latchkey'
import { createSharedAuth } from 'latchkey/shared'
import { after } from 'next/server'

const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId = '' } = process.env
const { OIDC_CLIENT_SECRET: clientSecret = '' } = process.env

export const hasProvider = issuer !== undefined

export const { auth, sessions } = createSharedAuth(() => ({
  siteUrl: process.env.SITE_URL ?? 'http://localhost:3000',
  basePath: '/auth',
  // Uses an embedded database, and shows mails instead of sending them.
  development: process.env.NODE_ENV === 'development',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  providers: issuer ? { acme: oidc({ label: 'Acme ID', issuer, clientId, clientSecret }) } : {},
  background: { waitUntil: after },
}))
