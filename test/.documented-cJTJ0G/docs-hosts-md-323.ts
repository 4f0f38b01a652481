declare const sessions: import('latchkey/cookies').CookieSessions
import { Hono } from 'hono'

const app = new Hono()

app.get('/', async (c) => {
  const session = await sessions.open(c.req.raw)
  const response = await c.html(`<p>hello, ${session.viewer?.claims.email ?? 'guest'}</p>`)
  session.addHeaders(response.headers)
  return response
})

app.post('/sign-out', async (c) => {
  const session = await sessions.open(c.req.raw)
  await session.signOut()
  const response = c.redirect('/', 303)
  session.addHeaders(response.headers)
  return response
})

export {}
