import { createAuth } from 'latchkey'

createAuth({
  // …
  hooks: {
    sendSms: {
      uri: 'https://app.example.com/hooks/send-sms',
      secrets: process.env['SEND_SMS_SECRET'],
    },
  },
})

export {}
