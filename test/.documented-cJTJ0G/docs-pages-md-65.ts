declare const sessions: import('latchkey/cookies').CookieSessions
declare const request: Request
import { requiredStep } from 'latchkey/cookies'

const session = await sessions.open(request)
try {
  const { user } = await session.requireUser({ aal: 2, within: '10m' })
  new Response(`Hello ${user.email}`)
} catch (error) {
  const step = requiredStep(error)
  if (!step) throw error
  const headers = { location: sessions.stepUpUrl(step, request.url) }
  new Response(null, { status: 303, headers })
}

export {}
