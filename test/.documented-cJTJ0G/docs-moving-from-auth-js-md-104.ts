declare const request: Request
import { createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'

const auth = createAuth({ siteUrl: 'https://app.example.com', basePath: '/auth' })
const sessions = createCookieSessions(auth, { origin: 'https://app.example.com' })

// before: export const { GET, POST } = handlers
const answer = await sessions.fetch(request)
// before: const session = await auth()
const session = await sessions.open(request)
const email = session.viewer?.claims.email

export {}
