// A Next app that signs its own users in, and renders on the server who they are.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { type Auth, createAuth } from 'latchkey'
import { type CookieSessions, createCookieSessions } from 'latchkey/cookies'
import { after } from 'next/server'

const siteUrl = process.env.SITE_URL ?? 'http://localhost:3000'
const development = process.env.NODE_ENV === 'development'

// Next bundles pages, routes and the proxy separately, and reloads them in development: shared objects are here.
const shared = globalThis as { auth?: Auth; sessions?: CookieSessions }

/** Created at the first call: `next build` loads this module too, without the production settings. */
export const auth = (): Auth =>
  (shared.auth ??= createAuth({
    siteUrl,
    basePath: '/auth',
    // Uses an embedded database, and shows mails instead of sending them.
    development,
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
    // Sends messages after the response of a request or action, on serverless hosts too.
    background: { waitUntil: after },
  }))

export const sessions = (): CookieSessions =>
  (shared.sessions ??= createCookieSessions(auth(), { origin: siteUrl, development }))
