import { createAuth } from 'latchkey'

const auth = createAuth({
  siteUrl: 'https://app.example.com',
  passkeys: { enabled: true },
  webAuthn: { rpId: 'example.com', rpDisplayName: 'Example', rpOrigins: ['https://app.example.com'] },
})

export {}
