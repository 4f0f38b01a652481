declare const auth: import('latchkey').Auth
declare class Customer { id: string; plan: string }
declare const orm: import('@mikro-orm/postgresql').MikroORM
await orm.em.transactional(async (em) => {
  const user = await auth.admin.createUser({ email: 'ada@example.com' }, { em })
  em.create(Customer, { id: user.id, plan: 'free' })
})

export {}
