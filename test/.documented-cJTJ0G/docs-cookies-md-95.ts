declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
declare const email: string
const session = await sessions.open(request)
const redirectTo = '/callback?next=/new-password'
await session.api.resetPasswordForEmail({ email, redirectTo })

export {}
