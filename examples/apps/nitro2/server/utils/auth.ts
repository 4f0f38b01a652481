// A Nitro 2 server that signs its own users in.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { type Auth, createAuth } from 'latchkey'

let made: Auth | undefined

/** Created at the first call: a build loads this module too, without the production settings. */
export const auth = (): Auth =>
  (made ??= createAuth({
    siteUrl: process.env.SITE_URL ?? 'http://127.0.0.1:3000',
    basePath: '/auth',
    // Uses an embedded database, and shows mails instead of sending them.
    development: process.env.NODE_ENV === 'development',
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  }))
