declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
declare const email: string
declare const password: string
const session = await sessions.open(request)
await session.api.signInWithPassword({ email, password })

export {}
