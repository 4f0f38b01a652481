declare const auth: import('latchkey').Auth
const input = { email: 'ada@example.com', username: 'ada', password: 'correct horse battery' }
await auth.api.signUp(input)
const { session } = await auth.api.signInWithPassword({ username: 'Ada', password: input.password })

export {}
