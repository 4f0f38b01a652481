import { createAuth } from 'latchkey'

const auth = createAuth({
  siteUrl: 'https://app.example.com',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: { from: 'Acme <no-reply@example.com>', smtp: process.env.SMTP_URL },
  telemetry: { tracing: { enabled: true }, metrics: { enabled: true } },
})

export {}
