import { createAuth } from 'latchkey'

export const auth = createAuth({
  siteUrl: 'https://app.example.com',
  database: process.env.DATABASE_URL,
  email: { autoconfirm: true },
  jwt: { secret: process.env.JWT_SECRET },
  security: {
    captcha: {
      verify: async ({ token, ip, path }) => token === 'solved' && ip !== null && path !== '/otp',
    },
  },
})

export {}
