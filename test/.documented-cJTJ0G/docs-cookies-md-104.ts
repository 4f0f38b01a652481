declare const sessions: import('latchkey/cookies').CookieSessions
export const serveCallback = (request: Request) =>
  sessions.finishFlow(request, { to: '/account', failed: '/sign-in' })

export {}
