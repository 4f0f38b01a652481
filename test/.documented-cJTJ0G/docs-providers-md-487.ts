declare const auth: import('latchkey').Auth
await auth.admin.customProviders.createProvider({
  providerType: 'oidc',
  identifier: 'custom:acme',
  name: 'Acme',
  clientId: 'app',
  clientSecret: 'secret',
  issuer: 'https://id.acme.example',
})

export {}
