import { AuthError, createAuth } from 'latchkey'

createAuth({
  // …
  hooks: {
    beforeUserCreated: ({ user }) => {
      if (!user.email.endsWith('@example.com')) throw new AuthError('signup_disabled', 403, 'Only colleagues')
    },
  },
})

export {}
