import { createAuth } from 'latchkey'

const auth = createAuth({
  siteUrl: 'https://app.example.com',
  web3: { ethereumEnabled: true, solanaEnabled: true },
})

export {}
