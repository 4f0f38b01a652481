// A Next app that signs its own users in, and renders on the server who they are.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { createSharedAuth } from 'latchkey/shared'
import { after } from 'next/server'

/** Created at the first use: `next build` loads this module too, without the production settings. */
export const { auth, sessions } = createSharedAuth(() => ({
  siteUrl: process.env.SITE_URL ?? 'http://localhost:3000',
  basePath: '/auth',
  // Uses an embedded database, and shows mails instead of sending them.
  development: process.env.NODE_ENV === 'development',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  // Sends messages after the response of a request or action, on serverless hosts too.
  background: { waitUntil: after },
}))
