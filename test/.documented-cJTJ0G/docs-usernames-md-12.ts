import { createAuth } from 'latchkey'

const auth = createAuth({
  siteUrl: 'https://app.example.com',
  usernames: { enabled: true },
})

export {}
