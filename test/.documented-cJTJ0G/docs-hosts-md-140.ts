import { createAuth } from 'latchkey'
import type { Auth } from 'latchkey'

let created: Auth | undefined

export const auth = (): Auth =>
  (created ??= createAuth({
    siteUrl: process.env.SITE_URL ?? 'http://127.0.0.1:3000',
    basePath: '/auth',
    development: process.env.NODE_ENV === 'development',
    database: process.env.DATABASE_URL,
    jwt: { secret: process.env.JWT_SECRET },
    email: { smtp: process.env.SMTP_URL, from: 'Acme <no-reply@example.com>' },
  }))

export {}
