import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'
import { secret } from '../../kit/people.ts'
import { databaseUrl, options, serve } from '../serve.ts'

// As an application would mount it, without a logger.

/**
 * The port for mails that confirm addresses; without it addresses are confirmed automatically. The
 * URL of the collector; without it there is no telemetry. Any text for the OAuth server.
 */
const [smtpPort, collector, oauth] = options
const auth = createAuth({
  siteUrl: 'https://app.example.test',
  database: { url: databaseUrl, maxPoolSize: 10 },
  jwt: { secret },
  email: smtpPort
    ? { from: 'bench@example.test', smtp: { host: '127.0.0.1', port: Number(smtpPort) } }
    : { autoconfirm: true },
  rateLimits: { emailSent: 'off' },
  ...(oauth && { oauthServer: { enabled: true } }),
  ...(collector && {
    telemetry: {
      tracing: { enabled: true },
      metrics: { enabled: true },
      otlp: { endpoint: collector },
    },
  }),
})
await auth.ready()
await serve(toNode(auth))
