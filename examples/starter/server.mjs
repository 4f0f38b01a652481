// An application with sign-in and account pages, and without a framework. Start it with `node server.mjs`.
import { createServer } from 'node:http'
import { AuthError, createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'
import { toNode } from 'latchkey/node'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://127.0.0.1:${port}`

// For development: the database is kept in `.latchkey/`, and mails are shown on this machine instead of being
// sent. In production set `database`, `jwt` and `email` instead, and the origin of your site in both places.
const auth = createAuth({
  development: true,
  siteUrl: origin,
  basePath: '/auth',
  pages: { enabled: true },
})
const sessions = createCookieSessions(auth, { origin, development: true })
const answerAuth = toNode(sessions)

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    if (!(error instanceof AuthError)) console.error(error)
    const { status, code } = error instanceof AuthError ? error : { status: 500, code: 'fault' }
    sendJson(response, status, { code })
  })
})

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(request, response) {
  const [path = '/'] = (request.url ?? '/').split('?')
  if (path.startsWith('/auth/')) return answerAuth(request, response)
  if (path === '/profile') return sendProfile(request, response)
  if (path !== '/') return sendJson(response, 404, { code: 'not_found' })
  return sendHome(request, response)
}

/**
 * Sends the first page, which links to the sign-in and account pages.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function sendHome(request, response) {
  const { viewer } = await openSession(request, response)
  const body = viewer
    ? `<h1>Welcome</h1>
<p>You are signed in as <strong>${escapeText(viewer.claims.email ?? viewer.userId)}</strong>.</p>
<p><a href="/auth/account">Your account</a></p>`
    : `<h1>Hello</h1>
<p><a href="/auth/sign-up">Sign up</a> or <a href="/auth/sign-in">sign in</a>.</p>`
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(body))
}

/**
 * Sends data for signed-in users only.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function sendProfile(request, response) {
  const session = await openSession(request, response)
  const { user } = await session.requireUser()
  sendJson(response, 200, { email: user.email, since: user.createdAt })
}

/**
 * Opens the session of a request. One that was about to expire is renewed, with new cookies. Caches must not store
 * the response, since it shows the user.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function openSession(request, response) {
  const session = await sessions.open(request)
  const headers = new Headers()
  session.addHeaders(headers)
  response.setHeaders(headers)
  response.setHeader('cache-control', 'private, no-store')
  return session
}

/** @param {string} body */
const pageOf = (body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Latchkey</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; padding: 0 1rem }</style>
${body}
</html>
`

/** @param {string} text */
const escapeText = (text) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {object} body
 */
function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

await auth.ready()
server.once('error', (problem) => {
  console.error(`${problem.message}: PORT=3001 node server.mjs takes another port`)
  process.exitCode = 1
  return auth.close()
})
server.listen(port, '127.0.0.1', () => console.log(`Sign up at ${origin}`))

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
  server.closeIdleConnections()
}
