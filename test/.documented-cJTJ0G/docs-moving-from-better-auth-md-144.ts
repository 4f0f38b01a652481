declare const request: Request
import { createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'

const auth = createAuth({ siteUrl: 'https://app.example.com', basePath: '/auth' })
const sessions = createCookieSessions(auth, { origin: 'https://app.example.com' })

// before: auth.handler(request)
const answer = await sessions.fetch(request)
// before: await auth.api.getSession({ headers: request.headers })
const session = await sessions.open(request)
const userId = session.viewer?.claims.sub

export {}
