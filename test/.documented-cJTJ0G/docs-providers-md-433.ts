import { defineProvider, oauth2, oidc } from 'latchkey'

const providers = {
  acme: oidc({
    label: 'Acme',
    issuer: 'https://id.acme.example',
    clientId: 'app',
    clientSecret: 'secret',
  }),
  forum: oauth2({
    authorizationUrl: 'https://forum.example/oauth/authorize',
    tokenUrl: 'https://forum.example/oauth/token',
    profileUrl: 'https://forum.example/api/me',
    clientId: 'app',
    clientSecret: 'secret',
  }),
  library: defineProvider({
    label: 'Library',
    endpoints: () => ({
      authorization: 'https://library.example/authorize',
      token: 'https://library.example/token',
    }),
    scopes: ['profile'],
    usesCodeVerifier: true,
    async readProfile({ get }) {
      const reader = await get('https://library.example/api/reader')
      const address = reader.text('contact', 'mail')
      return {
        subject: reader.text('card', 'number'),
        emails: address === null ? [] : [{ address, isVerified: reader.isTrue('contact', 'confirmed') }],
        claims: { name: reader.text('name') },
      }
    },
    clientId: 'app',
    clientSecret: 'secret',
  }),
}

export {}
