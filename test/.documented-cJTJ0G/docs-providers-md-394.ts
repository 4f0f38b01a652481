import { createAuth } from 'latchkey'

createAuth({
  // …
  providers: {
    workos: {
      clientId: 'client_01',
      clientSecret: process.env['WORKOS_API_KEY'],
      organizations: { org_01: ['example.com'], org_02: ['example.org', 'example.net'] },
    },
  },
})

export {}
