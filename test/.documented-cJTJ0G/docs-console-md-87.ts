declare const auth: import('latchkey').Auth
declare const userId: string
const actor = { id: '9a3c2f6e-6a0f-4a5e-9f0e-3f6a6d1d7c11', role: 'support' }
await auth.admin.banUser(userId, { reason: 'spam' }, { actor })

export {}
