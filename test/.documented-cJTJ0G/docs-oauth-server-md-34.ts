import { createAuth } from 'latchkey'

export const auth = createAuth({
  siteUrl: 'https://app.example.com',
  database: 'postgres://localhost/app',
  jwt: { secret: 'a secret of at least 32 characters', issuer: 'https://app.example.com/auth' },
  basePath: '/auth',
  email: { autoconfirm: true },
  oauthServer: {
    enabled: true,
    authorizationPath: '/oauth/consent',
    scopes: { 'invoice:read': 'See your invoices' },
  },
})

export {}
