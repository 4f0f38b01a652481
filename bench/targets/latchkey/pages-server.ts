import { createAuth } from 'latchkey'
import { toNode } from 'latchkey/node'
import { secret } from '../../kit/people.ts'
import { databaseUrl, serve } from '../serve.ts'

// An application with the sign-in and account pages, and more than one way to sign in.

const siteUrl = 'https://app.example.test'
const auth = createAuth({
  siteUrl,
  externalUrl: siteUrl,
  database: { url: databaseUrl, maxPoolSize: 10 },
  jwt: { secret },
  email: { autoconfirm: true },
  pages: { enabled: true },
  passkeys: { enabled: true },
  providers: { google: { clientId: 'bench', clientSecret: 'the secret of a client' } },
})
await auth.ready()
await serve(toNode(auth))
