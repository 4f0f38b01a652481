declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
const session = await sessions.open(request)
const response = new Response(`Hello ${session.viewer?.claims.email ?? 'guest'}`)
session.addHeaders(response.headers)

export {}
