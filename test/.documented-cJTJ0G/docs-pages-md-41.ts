declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
const session = await sessions.open(request)
if (!session.viewer) {
  const headers = { location: sessions.signInUrl(request.url) }
  new Response(null, { status: 303, headers })
}

export {}
