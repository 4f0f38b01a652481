declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
declare const code: string
import { AuthClient } from '@supabase/auth-js'

const session = await sessions.open(request)
const client = new AuthClient(session.clientOptions())
await client.exchangeCodeForSession(code)

export {}
