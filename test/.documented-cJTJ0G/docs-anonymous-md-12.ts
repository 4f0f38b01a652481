import { createAuth } from 'latchkey'

const auth = createAuth({
  siteUrl: 'https://app.example.com',
  anonymousUsers: { enabled: true },
})

export {}
