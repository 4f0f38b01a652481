// A Nuxt application that signs its own users in.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'

/** Called at start: a build loads this module too, without the production settings. */
export default () => {
  const siteUrl = process.env.SITE_URL ?? 'http://localhost:3000'
  const auth = createAuth({
    siteUrl,
    basePath: '/auth',
    // Uses an embedded database, and shows mails instead of sending them.
    development: import.meta.dev,
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  })
  return createCookieSessions(auth, { origin: siteUrl, development: import.meta.dev })
}
