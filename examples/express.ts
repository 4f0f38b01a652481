// An Express app that signs its own users in.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/express.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey express`,
// `cp node_modules/latchkey/examples/express.ts .`, `node express.ts`
import express from 'express'
import { AuthError, createAuth } from 'latchkey'
import { toExpress } from 'latchkey/express'

const port = Number(process.env.PORT ?? 3000)
const auth = createAuth({
  // Mails are shown on this machine instead of being sent; the start prints the address.
  development: true,
  // Links in mails lead to these.
  siteUrl: `http://127.0.0.1:${port}`,
  basePath: '/auth',
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
})
const app = express()

// The whole wire protocol, beside the app's own routes. Body parsers may stand before it or after it.
app.use('/auth', toExpress(auth))

app.get('/', (_request, response) => {
  response.json({ message: 'hello, guest' })
})

app.get('/profile', async (request, response) => {
  const { user } = await auth.requireUser(request)
  response.json({ message: `hello, ${user.email}` })
})

app.use(answerAuthError)

/** Presents the errors of `requireUser`. */
function answerAuthError(
  error: unknown,
  _request: express.Request,
  response: express.Response,
  next: express.NextFunction,
) {
  if (!(error instanceof AuthError)) return next(error)
  response.status(error.status).json({ code: error.code, message: error.message })
}

await auth.ready()
const server = app.listen(port, '127.0.0.1', (problem) => {
  if (problem) throw problem
  const url = `http://127.0.0.1:${port}`
  console.log(`Listening on ${url}

  curl ${url}/auth/signup -d '{"email":"ada@example.com","password":"correct horse"}'
  curl ${url}/auth/verify -d '{"type":"signup","email":"ada@example.com","token":"CODE OF THE MAIL"}'
  curl ${url}/profile -H "authorization: Bearer $ACCESS_TOKEN"`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
