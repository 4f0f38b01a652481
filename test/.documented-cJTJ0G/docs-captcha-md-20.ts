import { createAuth } from 'latchkey'

createAuth({
  // …
  security: {
    captcha: {
      provider: 'turnstile',
      secret: process.env['TURNSTILE_SECRET'],
      hostnames: ['app.example.com'],
    },
  },
})

export {}
