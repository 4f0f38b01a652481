import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'
import { secret } from '../../kit/people.ts'
import { databaseUrl, options, serve } from '../serve.ts'

// As an application would mount it, without a logger.

const confirmation = options.includes('confirmation')
const auth = createAuth({
  siteUrl: 'https://app.example.test',
  database: { url: databaseUrl, maxPoolSize: 10 },
  jwt: { secret },
  email: { autoconfirm: !confirmation },
  hooks: { sendEmail: async () => {} },
})
await auth.ready()
await serve(toNode(auth))
