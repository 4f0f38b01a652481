// An Express app that other applications sign users in at, with a consent page of its own and the unmodified client.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/consent-page.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json:
// `npm install latchkey express @supabase/auth-js`, `cp node_modules/latchkey/examples/consent-page.ts .`, `node consent-page.ts`
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
  oauthServer: {
    enabled: true,
    allowDynamicRegistration: true,
    authorizationPath: '/oauth/consent',
    scopes: { 'notes:read': 'See your notes' },
  },
})
// In production: { origin: 'https://app.example.com' }
const sessions = createCookieSessions(auth, { origin, development: true })
const app = express()

app.use('/auth', toExpress(sessions))
app.use(express.urlencoded())

// The browser arrives here with the id of the request.
app.get('/oauth/consent', async (request, response) => {
  const session = await sessions.open(request)
  if (!session.viewer) {
    response.send(signInForm)
    return
  }
  const { oauth } = new AuthClient(session.clientOptions())
  const { data, error } = await oauth.getAuthorizationDetails(idOf(request))
  session.addHeaders(response)
  if (error) response.status(error.status ?? 500).send(text(error.message))
  // The user has consented before.
  else if (!('client' in data)) response.redirect(data.redirect_url)
  else {
    const { host } = new URL(data.redirect_uri)
    response.send(consentForm(data.client.name, host, data.scope, data.user.email))
  }
})

app.post('/oauth/consent', async (request, response) => {
  // A form of another site is rejected here.
  const session = await sessions.open(request)
  const { oauth } = new AuthClient(session.clientOptions())
  const id = idOf(request)
  const isAllowed = (request.body as { decision?: string }).decision === 'allow'
  const decided = isAllowed ? oauth.approveAuthorization(id) : oauth.denyAuthorization(id)
  const { data, error } = await decided
  session.addHeaders(response)
  if (error) response.status(error.status ?? 500).send(text(error.message))
  else response.redirect(data.redirect_url)
})

app.post('/sign-in', async (request, response) => {
  const session = await sessions.open(request)
  const { email, password } = request.body as { email: string; password: string }
  const signIn = await auth.api.signInWithPassword({ email, password }, auth.callOptions(request))
  await session.keep(signIn.session)
  session.addHeaders(response)
  // Back to the consent page, which contained the form.
  const { search } = new URL(request.headers['referer'] ?? origin)
  response.redirect(`/oauth/consent${search}`)
})

app.use(answerAuthError)

const idOf = ({ query }: express.Request) => String(query['authorization_id'])

/** Escapes a text, since clients choose their names. */
const text = (given = '') =>
  given.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const meanings: Record<string, string> = {
  email: 'See your email address',
  'notes:read': 'See your notes',
}

const consentForm = (name: string, host: string, scope: string, email: string) => `<!doctype html>
<title>Allow access</title>
<h1>“<bdi>${text(name.slice(0, 80))}</bdi>” would like access to your account</h1>
<p>You continue at ${text(host)}. You are signed in as ${text(email)}.</p>
<ul>${scope
  .split(' ')
  .map((one) => `<li>${text(meanings[one] ?? one)}</li>`)
  .join('')}</ul>
<form method="post">
  <button name="decision" value="allow">Allow</button>
  <button name="decision" value="deny">Cancel</button>
</form>`

const signInForm = `<!doctype html>
<title>Sign in</title>
<form action="/sign-in" method="post">
  <label>Email <input name="email" type="email" required></label>
  <label>Password <input name="password" type="password" required></label>
  <button>Sign in</button>
</form>`

/** Presents errors as responses, including the rejection of a form from another site. */
function answerAuthError(
  error: unknown,
  _request: express.Request,
  response: express.Response,
  next: express.NextFunction,
) {
  if (!(error instanceof AuthError)) return next(error)
  response.status(error.status).send(text(error.message))
}

await auth.ready()
// The user who consents.
await auth.admin
  .createUser({ email: 'grace@example.com', password: 'correct horse', emailConfirm: true })
  .catch((error: unknown) => {
    if (!(error instanceof AuthError) || error.code !== 'email_exists') throw error
  })
const server = app.listen(port, '127.0.0.1', (problem) => {
  if (problem) throw problem
  console.log(`Listening on ${origin}`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
