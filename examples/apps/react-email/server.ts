// An Express server whose mails are components of React Email.
// `npm install`, `npm run build`, then `npm start` with DATABASE_URL, JWT_SECRET, SITE_URL and SMTP_URL.
import express, { type NextFunction, type Request, type Response } from 'express'
import { AuthError, createAuth } from 'latchkey'
import { toExpress } from 'latchkey/express'
import { confirmation } from './mails.tsx'

const auth = createAuth({
  siteUrl: process.env.SITE_URL ?? 'http://127.0.0.1:3000',
  basePath: '/auth',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: {
    smtp: process.env.SMTP_URL,
    from: 'Acme <no-reply@example.com>',
    templates: { confirmation },
  },
})

const app = express()
app.use('/auth', toExpress(auth))
app.get('/', (_request, response) => {
  response.send('hello')
})
app.get('/profile', async (request, response) => {
  const { user } = await auth.requireUser(request)
  response.json({ message: `hello, ${user.email}` })
})
app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
  if (!(error instanceof AuthError)) return next(error)
  response.status(error.status).json({ code: error.code, message: error.message })
})

await auth.ready()
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
