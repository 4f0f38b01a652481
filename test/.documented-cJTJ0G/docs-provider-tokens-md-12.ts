import { createAuth } from 'latchkey'

createAuth({
  // …
  providers: {
    github: {
      clientId: 'Ov23liExample',
      clientSecret: process.env['GITHUB_SECRET'],
      keepTokens: true,
    },
  },
})

export {}
