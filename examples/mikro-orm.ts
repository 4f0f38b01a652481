// An application with MikroORM: its notes belong to users by a foreign key, and one transaction holds both.
// In a clone, after `npm install`, with a PostgreSQL in `DATABASE_URL`: `npx node --conditions=latchkey-source examples/mikro-orm.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey @mikro-orm/postgresql`,
// `cp node_modules/latchkey/examples/mikro-orm.ts .`, `node mikro-orm.ts`
import assert from 'node:assert/strict'
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql'
import { createAuth } from 'latchkey'
import { latchkeyEntities } from 'latchkey/entities'

const database = process.env.DATABASE_URL
if (!database) throw new Error('set DATABASE_URL to a PostgreSQL database')

const auth = createAuth({ development: true, database })
// Its tables are there before those that refer to them.
await auth.ready()

const { User, schemaGenerator } = latchkeyEntities()

const NoteSchema = defineEntity({
  name: 'Note',
  tableName: 'example_note',
  properties: {
    id: p.integer().primary(),
    owner: () => p.manyToOne(User).deleteRule('cascade'),
    text: p.text(),
  },
})
class Note extends NoteSchema.class {}
NoteSchema.setClass(Note)

const orm = await MikroORM.init({
  clientUrl: database,
  entities: [User, Note],
  // Migrations of the application leave Latchkey's tables alone.
  schemaGenerator,
})

// What `mikro-orm migration:create` would write into a file. `safe`: this may be a database with other tables in it.
console.log('To migrate:', await orm.schema.getUpdateSchemaSQL({ wrap: false, safe: true }))
await orm.schema.update({ safe: true })

// A new address each time, so that the example can run again on the same data.
const email = `ada.${Date.now()}@example.com`

/** Makes a user with a first note: both, or neither. */
const createWithNote = (text: string) =>
  orm.em.fork().transactional(async (em) => {
    const user = await auth.admin.createUser({ email, emailConfirm: true }, { em })
    em.create(Note, { owner: user.id, text })
    await em.flush()
    if (text === '') throw new Error('a note needs a text')
  })

await assert.rejects(createWithNote(''))
console.log('Users after the rollback:', await orm.em.fork().count(User, { email }))

await createWithNote('hello')
const em = orm.em.fork()
const note = await em.findOneOrFail(Note, { owner: { email } }, { populate: ['owner'] })
assert.equal(note.owner.email, email)
console.log('Ada’s note:', note.text)

// Users are read here. They are written by `auth`, which sends the mails, ends the sessions and keeps the log.
note.owner.email = 'mallory@example.com'
await assert.rejects(em.flush(), /users are written by auth/)
console.log('Rejected: a user written without Latchkey.')

await auth.admin.deleteUser(note.owner.id)
console.log('Notes after Ada is deleted:', await orm.em.fork().count(Note))

await orm.schema.drop()
await Promise.all([orm.close(), auth.close()])
