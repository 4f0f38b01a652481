declare function sendWhereverYouLike(to: string, text: string): Promise<void>
import { createAuth } from 'latchkey'

createAuth({
  // …
  hooks: {
    sendSms: async ({ metadata, user, sms }) => {
      await sendWhereverYouLike(sms.phone, `Your code is ${sms.otp}`)
    },
  },
})

export {}
