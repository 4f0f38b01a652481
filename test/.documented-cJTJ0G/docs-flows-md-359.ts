declare const auth: import('latchkey').Auth
const user = await auth.admin.inviteUser({ email: 'ada@example.com', data: { team: 'engines' } })

export {}
