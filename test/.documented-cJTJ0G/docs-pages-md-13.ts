import { createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'

export const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  pages: { enabled: true, name: 'Acme' },
})
export const sessions = createCookieSessions(auth, { origin: 'https://app.example.com' })

export {}
