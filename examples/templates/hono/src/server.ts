// Starts the application: `npm run dev`, or `npm run build` and `npm start`.
import { serve } from '@hono/node-server'
import { createAuth } from 'latchkey'
import { createCookieSessions } from 'latchkey/cookies'
import { createApp } from './app.ts'
import { config, origin } from './auth.ts'

const auth = createAuth(config)
const sessions = createCookieSessions(auth, { origin, development: config.development })
const app = createApp({ sessions, origin, hasGithub: 'github' in config.providers })

await auth.ready()
const port = Number(process.env.PORT ?? 3000)
// In development only this machine can connect.
const hostname = config.development ? 'localhost' : '0.0.0.0'
const server = serve({ fetch: app.fetch, port, hostname }, () => {
  console.log(`Listening on ${origin}`)
})

// Requests that run may end; then the database is closed.
process.once('SIGINT', stop).once('SIGTERM', stop)

function stop() {
  server.close(() => auth.close())
}
