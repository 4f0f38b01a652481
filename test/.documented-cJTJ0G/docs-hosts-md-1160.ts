declare const sessions: import('latchkey/cookies').CookieSessions
declare const sessionContext: import('latchkey/react-router').SessionContext
import { sessionMiddleware } from 'latchkey/react-router'

export const middleware = [sessionMiddleware(sessions, sessionContext)]

export {}
