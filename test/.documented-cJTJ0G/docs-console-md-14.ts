import { createAuth } from 'latchkey'

export const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  console: { enabled: true },
})

export {}
