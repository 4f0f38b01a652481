// An application with sign-up and sign-in, and without a framework. Start it with `node server.mjs`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { AuthError, createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'
import { toNode } from 'latchkey/node'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://127.0.0.1:${port}`

// For development: the database is kept in `.latchkey/`, and mails are shown on this machine instead of being
// sent. In production set `database`, `jwt` and `email` instead, and the origin of your site in both places.
const auth = createAuth({ development: true, siteUrl: origin, basePath: '/auth' })
const sessions = createCookieSessions(auth, { origin, development: true })
const answerAuth = toNode(sessions)
const page = readFileSync(new URL('page.html', import.meta.url))

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
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}

/**
 * Sends a page for signed-in users only.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function sendProfile(request, response) {
  const session = await sessions.open(request)
  // A session that was about to expire is renewed by now, and its cookies are to reach the browser.
  const headers = new Headers()
  session.addHeaders(headers)
  response.setHeaders(headers)
  const { user } = await session.requireUser()
  sendJson(response, 200, { email: user.email, since: user.createdAt })
}

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
