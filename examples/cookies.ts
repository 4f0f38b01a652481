// An Express app that renders its pages on the server and keeps sessions in cookies, without a script in any page.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/cookies.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json:
// `npm install latchkey express @supabase/auth-js`, `cp node_modules/latchkey/examples/cookies.ts .`, `node cookies.ts`
import { AuthClient } from '@supabase/auth-js'
import express from 'express'
import { AuthError, createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'
import { toExpress } from 'latchkey/express'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://127.0.0.1:${port}`
const auth = createAuth({
  development: true,
  siteUrl: origin,
  basePath: '/auth',
  database: process.env.DATABASE_URL,
})
// In production: { origin: 'https://app.example.com' }
const sessions = createCookieSessions(auth, { origin, development: true })
const app = express()

// In place of `auth`: pages with scripts find their session here, with `latchkey/client`.
app.use('/auth', toExpress(sessions))
app.use(express.urlencoded())

app.get('/', async (request, response) => {
  const session = await sessions.open(request)
  // A session that has expired was renewed, and its cookies are sent along.
  session.addHeaders(response)
  // Caches must not store a page that shows the signed-in user.
  response.set('cache-control', 'private, no-store')
  response.send(session.viewer ? welcome(session.viewer.claims.email) : forms)
})

app.post('/sign-up', async (request, response) => {
  const session = await sessions.open(request)
  const { email, password } = request.body as Credentials
  // The client of the wire, on the server. What it keeps until the link comes back goes into cookies, too.
  const client = new AuthClient(session.clientOptions())
  const { error } = await client.signUp({
    email,
    password,
    options: { emailRedirectTo: `${origin}/callback` },
  })
  session.addHeaders(response)
  response.send(error ? error.message : 'Open the link in the mailbox')
})

app.get('/callback', async (request, response) => {
  const session = await sessions.open(request)
  await session.exchangeCode(String(request.query['code']))
  session.addHeaders(response)
  response.redirect('/')
})

app.post('/sign-in', async (request, response) => {
  const session = await sessions.open(request)
  const { email, password } = request.body as Credentials
  const options = auth.callOptions(request)
  const signIn = await auth.api.signInWithPassword({ email, password }, options)
  await session.keep(signIn.session)
  session.addHeaders(response)
  response.redirect('/')
})

app.post('/sign-out', async (request, response) => {
  const session = await sessions.open(request)
  await session.signOut()
  session.addHeaders(response)
  response.redirect('/')
})

app.use(answerAuthError)

/** The fields of the form. */
interface Credentials {
  email: string
  password: string
}

const welcome = (email = '') => `<!doctype html>
<title>Welcome</title>
<p>Hello, ${email.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>
<form action="/sign-out" method="post"><button>Sign out</button></form>`

const forms = `<!doctype html>
<title>Sign in</title>
<form action="/sign-in" method="post">
  <label>Email <input name="email" type="email" required></label>
  <label>Password <input name="password" type="password" required></label>
  <button>Sign in</button> <button formaction="/sign-up">Sign up</button>
</form>`

/** Presents errors as responses, including the rejection of a form from another site. */
function answerAuthError(
  error: unknown,
  _request: express.Request,
  response: express.Response,
  next: express.NextFunction,
) {
  if (!(error instanceof AuthError)) return next(error)
  response.status(error.status).send(error.message)
}

await auth.ready()
const server = app.listen(port, '127.0.0.1', (problem) => {
  if (problem) throw problem
  console.log(`Listening on ${origin}`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
