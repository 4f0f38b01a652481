import express, { type NextFunction, type Request, type Response } from 'express'
import { AuthError, createAuth } from 'latchkey'
import { toExpress } from 'latchkey/express'

const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
})

const app = express()
app.use('/auth', toExpress(auth))

app.get('/profile', async (request, response) => {
  const { user } = await auth.requireUser(request)
  response.json({ hello: user.email })
})
app.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
  if (!(error instanceof AuthError)) return next(error)
  response.status(error.status).json({ code: error.code, message: error.message })
})

await auth.ready()
app.listen(3000)

export {}
