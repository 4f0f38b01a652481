import { createAuth } from 'latchkey'

createAuth({
  // …
  providers: {
    github: { clientId: 'Ov23liExample', clientSecret: process.env['GITHUB_SECRET'] },
    google: { clientId: '1234.apps.googleusercontent.com', clientSecret: process.env['GOOGLE_SECRET'] },
  },
})

export {}
