declare const carrier: {
    messages: { create(text: { to: string; text: string; idempotencyKey: string }): Promise<{ messageId: string }> }
  }
import { createAuth } from 'latchkey'

createAuth({
  // …
  phone: { enabled: true },
  sms: {
    send: async ({ id, to, text }) => {
      const { messageId } = await carrier.messages.create({ to, text, idempotencyKey: id })
      return { messageId }
    },
  },
})

export {}
