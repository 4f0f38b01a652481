import { createSharedAuth } from 'latchkey/shared'

export const { auth, sessions } = createSharedAuth(() => ({
  siteUrl: process.env.SITE_URL ?? 'http://localhost:3000',
  basePath: '/auth',
  development: process.env.NODE_ENV === 'development',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
}))

export {}
