declare const auth: import('latchkey').Auth
const { user, session } = await auth.api.signInAnonymously({ data: { theme: 'dark' } })

export {}
