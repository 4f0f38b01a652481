import { createAuth } from 'latchkey'

createAuth({
  // …
  hooks: {
    events: async (event) => {
      if (event.type === 'session.opened') console.log(event.user_id, event.data.method)
    },
  },
})

export {}
