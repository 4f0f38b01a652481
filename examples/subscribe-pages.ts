// A newsletter form: it reads its texts and lists from a subscribe page, without a session, and signs people up with the lists.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/subscribe-pages.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey express`,
// `cp node_modules/latchkey/examples/subscribe-pages.ts .`, `node subscribe-pages.ts`
import { randomBytes } from 'node:crypto'
import express from 'express'
import { createAuth } from 'latchkey'
import { toExpress } from 'latchkey/express'
import { createSubscribePages } from 'latchkey/subscribe-pages'

const port = Number(process.env.PORT ?? 3000)
const url = `http://127.0.0.1:${port}`
const auth = createAuth({
  // Mails are shown on this machine instead of being sent; the start prints the address.
  development: true,
  siteUrl: url,
  basePath: '/auth',
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
})
const pages = createSubscribePages({
  auth,
  // The form may live on another site than this service.
  cors: { origins: [process.env.FORM_ORIGIN ?? url] },
})
await pages.ready()

const app = express()
app.use('/auth', toExpress(auth))
app.use('/newsletter', toExpress(pages))
app.get('/', (_request, response) => {
  response.setHeader('content-type', 'text/html;charset=UTF-8')
  response.end(form(page.id))
})

/** An administrator's part, as a dashboard would do it: a list, and a page that names it. */
const password = randomBytes(12).toString('hex')
const email = `editor-${Date.now()}@example.com`
await auth.admin.createUser({ email, password, emailConfirm: true, role: 'service_role' })
const list = await pages.lists.create({ name: 'Release notes', public: true })
const ask = async (path: string, headers: Record<string, string>, body: object) => {
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await pages.fetch(new Request(`${url}${path}`, request))
  return (await answer.json()) as { key: string; id: number }
}
const { key } = await ask('/sessions', {}, { login_name: email, password })
const page = await ask(
  '/subscribe-pages',
  { 'php-auth-pw': key },
  {
    title: 'Release notes by mail',
    active: true,
    data: [
      { key: 'button', value: 'Keep me posted' },
      { key: 'lists', value: String(list.id) },
    ],
  },
)

/** The page of a subscriber, without a session. It shows the texts as text, never as markup. */
const form = (pageId: number) => `<!doctype html>
<meta charset="utf-8">
<title>Newsletter</title>
<h1></h1>
<form>
  <p></p>
  <input name="email" type="email" required placeholder="you@example.com">
  <button></button>
</form>
<output></output>
<script type="module">
  const find = (name) => document.querySelector(name)
  const read = async (path) => (await fetch('/newsletter' + path)).json()

  const { title, data } = await read('/subscribe-pages/${pageId}')
  const texts = Object.fromEntries(data.map(({ key, value }) => [key, value]))
  const ids = texts.lists.split(',').map(Number)
  const lists = await Promise.all(ids.map((id) => read('/lists/' + id + '/public')))
  find('h1').textContent = title
  find('p').textContent = 'You will get: ' + lists.map(({ name }) => name).join(', ')
  find('button').textContent = texts.button

  find('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    const { email } = Object.fromEntries(new FormData(event.target))
    // Creates a user without a password, whose address the link in the mail confirms.
    const answer = await fetch('/auth/otp', {
      method: 'POST',
      body: JSON.stringify({ email, data: { subscribe_page: ${pageId}, lists: ids } }),
    })
    find('output').textContent = answer.ok ? 'Check your mail to confirm the address.' : 'The sign-up failed. Try again.'
  })
</script>
`

const server = app.listen(port, '127.0.0.1', (problem) => {
  if (problem) throw problem
  console.log(`Listening on ${url}

  curl ${url}/newsletter/subscribe-pages/${page.id}
  curl ${url}/newsletter/lists/${list.id}/public`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
