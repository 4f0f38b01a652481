import { createAuth } from 'latchkey'
const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  pages: { enabled: true, signIn: '/login', signedOut: '/goodbye' },
})

export {}
