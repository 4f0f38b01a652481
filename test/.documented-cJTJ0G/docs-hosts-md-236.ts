declare const auth: import('latchkey').Auth
import express, { type NextFunction, type Request, type Response } from 'express'
import { AuthError } from 'latchkey'
import { toExpress } from 'latchkey/express'

const app = express()
app.use('/auth', toExpress(auth))

app.get('/profile', async (request, response) => {
  const { user } = await auth.requireUser(request)
  response.json({ hello: user.email })
})

// After all routes. Without it Express returns an error page.
app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
  if (!(error instanceof AuthError)) return next(error)
  response.status(error.status).json({ code: error.code, message: error.message })
})

await auth.ready()
app.listen(3000)

export {}
