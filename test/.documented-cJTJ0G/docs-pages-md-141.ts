import { createAuth } from 'latchkey'
const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  pages: {
    enabled: true,
    texts: { ar: { 'signIn.heading': 'تسجيل الدخول إلى {site}', 'signIn.submit': 'تسجيل الدخول' } },
  },
})

export {}
