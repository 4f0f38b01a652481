// A SvelteKit app that signs its own users in.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { type Auth, createAuth } from 'latchkey'
import { type CookieSessions, createCookieSessions } from 'latchkey/cookies'

const siteUrl = process.env.SITE_URL ?? 'http://localhost:5173'
const development = process.env.NODE_ENV === 'development'

let made: Auth | undefined
let madeSessions: CookieSessions | undefined

/** Created at the first call: a build loads this module too, without the production settings. */
export const auth = (): Auth =>
  (made ??= createAuth({
    siteUrl,
    basePath: '/auth',
    // Uses an embedded database, and shows mails instead of sending them.
    development,
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  }))

/** Sessions in cookies, for pages that the server renders. */
export const sessions = (): CookieSessions =>
  (madeSessions ??= createCookieSessions(auth(), { origin: siteUrl, development }))
