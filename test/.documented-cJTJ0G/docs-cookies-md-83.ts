declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
declare const email: string
declare const code: string
const session = await sessions.open(request)
await session.api.verifyOtp({ type: 'signup', email, token: code })

export {}
