import { createAuth } from 'latchkey'

createAuth({
  // …
  hooks: {
    customAccessToken: ({ claims }) => {
      const { user_metadata, ...others } = claims
      return { claims: { ...others, plan: 'gold' } }
    },
  },
})

export {}
