// A Next app that signs its own users in, and renders on the server who they are.
// `npm install`, `npm run dev`; or `npm run build` and `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import { type Auth, createAuth } from 'latchkey'
import { type CookieSessions, createCookieSessions } from 'latchkey/cookies'
import { after } from 'next/server'

const siteUrl = process.env.SITE_URL ?? 'http://localhost:3000'
const development = process.env.NODE_ENV === 'development'

// Pages, routes and the proxy are bundled apart, and loaded anew in development: what they share is kept here.
const shared = globalThis as { auth?: Auth; sessions?: CookieSessions }

/** Made when it is first asked for: `next build` loads this module too, without the settings of production. */
export const auth = (): Auth =>
  (shared.auth ??= createAuth({
    siteUrl,
    basePath: '/auth',
    // An embedded database, and mails that are shown instead of being sent.
    development,
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
    // Messages that a request or an action has caused go on after its answer, on serverless hosts too.
    background: { waitUntil: after },
  }))

export const sessions = (): CookieSessions =>
  (shared.sessions ??= createCookieSessions(auth(), { origin: siteUrl, development }))
