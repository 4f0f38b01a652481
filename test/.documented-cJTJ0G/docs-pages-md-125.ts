import { createAuth } from 'latchkey'
const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  pages: {
    enabled: true,
    texts: { en: { 'signIn.heading': 'Welcome back', 'signUp.submit': 'Join {site}' } },
  },
})

export {}
