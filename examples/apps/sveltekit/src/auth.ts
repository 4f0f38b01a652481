// A SvelteKit app that signs its own users in.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { createSharedAuth } from 'latchkey/shared'

/** Created at the first use: a build loads this module too, without the production settings. */
export const { auth, sessions } = createSharedAuth(() => ({
  siteUrl: process.env.SITE_URL ?? 'http://localhost:5173',
  basePath: '/auth',
  // Uses an embedded database, and shows mails instead of sending them.
  development: process.env.NODE_ENV === 'development',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
}))
