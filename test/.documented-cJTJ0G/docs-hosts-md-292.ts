import { Hono } from 'hono'
import { AuthError } from 'latchkey'
import { toHono } from 'latchkey/hono'
import { auth } from './auth.ts' // createAuth({ basePath: '/auth', … })

const app = new Hono()
app.all('/auth/*', toHono(auth))

app.get('/profile', async (c) => {
  const { user } = await auth.requireUser(c.req.raw)
  return c.json({ hello: user.email })
})
// Without it Hono returns 500 to clients that are not signed in.
app.onError((error) => {
  if (!(error instanceof AuthError)) throw error
  return Response.json({ code: error.code, message: error.message }, { status: error.status })
})

export {}
