declare const auth: import('latchkey').Auth
import Koa from 'koa'
import { AuthError } from 'latchkey'
import { toKoa } from 'latchkey/koa'

const app = new Koa()
// Without it Koa sends only the status, and prints the error.
app.use(async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    ctx.status = error.status
    ctx.body = { code: error.code, message: error.message }
  }
})
app.use(toKoa(auth))
app.use(async (ctx) => {
  if (ctx.path !== '/profile') return
  const { user } = await auth.requireUser(ctx)
  ctx.body = { hello: user.email }
})

export {}
