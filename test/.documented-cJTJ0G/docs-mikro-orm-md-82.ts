declare const auth: import('latchkey').Auth
declare class Note { id: number; owner: import('latchkey/entities').LatchkeyUser; text: string }
declare const orm: import('@mikro-orm/postgresql').MikroORM
await orm.em.transactional(async (em) => {
  const user = await auth.admin.createUser({ email: 'ada@example.com' }, { em })
  em.create(Note, { owner: user.id, text: 'welcome' })
})

export {}
