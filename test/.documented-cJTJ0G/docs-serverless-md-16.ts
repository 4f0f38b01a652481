import { createAuth } from 'latchkey'
export const auth = createAuth({
  siteUrl: 'https://app.example.com',
  basePath: '/auth',
  database: { url: process.env.DATABASE_URL, maxPoolSize: 2 },
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  rateLimits: { header: 'x-forwarded-for', store: 'postgres' },
  background: { frozenBetweenRequests: true },
})

export {}
