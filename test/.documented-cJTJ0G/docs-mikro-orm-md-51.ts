declare class Note { id: number; owner: import('latchkey/entities').LatchkeyUser; text: string }
declare const orm: import('@mikro-orm/postgresql').MikroORM
declare const User: import('latchkey/entities').LatchkeyEntities['User']
const em = orm.em.fork()
const note = await em.findOneOrFail(Note, 1, { populate: ['owner'] })
const invited = await em.find(User, { invitedAt: { $ne: null }, deletedAt: null })

export {}
