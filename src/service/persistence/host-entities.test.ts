import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineEntity, EntityCaseNamingStrategy, p } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { latchkeyEntities } from './host-entities.ts'

// A host with MikroORM that relates its own rows to our users, at each place of our tables.

const hostOf = async (auth: TestAuth, place: { schema: string; namespace: string }) => {
  const { User, schemaGenerator } = latchkeyEntities(place)
  const NoteSchema = defineEntity({
    name: 'Note',
    properties: {
      id: p.integer().primary(),
      owner: () => p.manyToOne(User).deleteRule('cascade'),
      text: p.text(),
    },
  })
  class Note extends NoteSchema.class {}
  NoteSchema.setClass(Note)
  const open = (options: Options = {}) =>
    MikroORM.init({
      entities: [User, Note],
      schemaGenerator,
      clientUrl: auth.databaseUrl,
      logger: () => {},
      ...options,
    })
  return { User, Note, open }
}

/**
 * In `public`, undoing a step creates our functions again, which it has not dropped: see
 * docs/mikro-orm.md.
 */
const isAboutHelper = (statement: string) =>
  /^create or replace function "(email|jwt|role|uid)"/.test(statement)

type Host = Awaited<ReturnType<typeof hostOf>>

describe.each([
  { schema: 'auth', namespace: '' },
  { schema: 'accounts', namespace: 'app_' },
  { schema: 'public', namespace: 'auth_' },
  { schema: 'public', namespace: '' },
])('with tables in $schema behind "$namespace"', (place) => {
  let auth: TestAuth
  let host: Host
  let orm: MikroORM
  const users = `"${place.schema}"."${place.namespace}users"`

  beforeAll(async () => {
    auth = await startTestAuth({ database: place })
    // The database of tests, which contains another Latchkey.
    await runSql(auth.databaseUrl, 'drop schema auth cascade')
    await auth.auth.ready()
    host = await hostOf(auth, place)
    orm = await host.open()
  })
  afterAll(async () => {
    await orm?.close()
    await auth?.close()
  })

  it('a host’s migrations affect only its own tables, with a foreign key to ours', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-host-'))
    const migrating = await host.open({ extensions: [Migrator], migrations: { path: folder } })

    const { diff } = await migrating.migrator.create()
    await migrating.schema.update()
    const isNeeded = await migrating.migrator.checkSchema()
    const dropped = await migrating.schema.getDropSchemaSQL({ wrap: false })

    await migrating.close()
    await rm(folder, { recursive: true })
    const [up, down] = [diff.up, diff.down].map((statements) =>
      statements.filter((text) => text !== '' && !isAboutHelper(text)),
    ) as [string[], string[]]
    expect(up).toHaveLength(2)
    expect(up[0]).toMatch(/^create table "note"/)
    expect(up[1]).toMatch(/^alter table "note" add constraint .* on delete cascade;$/)
    expect(up[1]).toContain(`foreign key ("owner_id") references `)
    expect(down).toEqual(['drop table if exists "note" cascade;'])
    expect(isNeeded).toBe(false)
    expect(dropped.trim()).toBe('drop table if exists "note" cascade;')
  })

  it('it reads users, and the rows that depend on them', async () => {
    const user = await auth.given.user()
    const em = orm.em.fork()
    await em.persist(em.create(host.Note, { id: 1, owner: user.id, text: 'hello' })).flush()

    const note = await orm.em.fork().findOneOrFail(host.Note, 1, { populate: ['owner'] })
    const found = await orm.em.fork().findOneOrFail(host.User, { email: user.email })

    const unread = [
      'identities',
      'factors',
      'emailChangeConfirmedBy',
      'changeProvedAt',
      'emailChangedAt',
      'phoneChangedAt',
    ]
    const fields = Object.fromEntries(
      Object.entries(user).filter(([name]) => !unread.includes(name)),
    )
    expect({ ...found }).toEqual(fields)
    expect(note.owner.email).toBe(user.email)
    expect(JSON.parse(JSON.stringify(note)).owner).toEqual(JSON.parse(JSON.stringify(fields)))
  })

  it('its transaction commits both, or neither', async () => {
    const email = 'together@example.test'
    const together = (end: () => void) =>
      orm.em.fork().transactional(async (em) => {
        const user = await auth.auth.admin.createUser({ email, password: testPassword }, { em })
        em.persist(em.create(host.Note, { id: 2, owner: user.id, text: 'mine' }))
        await em.flush()
        end()
      })
    const changesMind = () => {
      throw new Error('changed its mind')
    }

    await expect(together(changesMind)).rejects.toThrow('changed its mind')
    const before = await orm.em.fork().findOne(host.User, { email })
    await together(() => {})
    const after = await orm.em.fork().findOneOrFail(host.Note, 2, { populate: ['owner'] })

    expect(before).toBeNull()
    expect(after.owner.email).toBe(email)
  })

  it('no flush of its own writes a user', async () => {
    const { id, email } = await auth.given.user()
    const read = async () => {
      const em = orm.em.fork()
      return { em, user: await em.findOneOrFail(host.User, id) }
    }
    const rewrite = async () => {
      const { em, user } = await read()
      user.email = 'mallory@example.test'
      await em.flush()
    }
    const remove = async () => {
      const { em, user } = await read()
      await em.remove(user).flush()
    }
    const make = async () => {
      const { em, user } = await read()
      await em.persist(em.create(host.User, { ...user, id: crypto.randomUUID() })).flush()
    }
    const upsert = async () => {
      const { em, user } = await read()
      await em.upsert(host.User, { ...user, email: 'mallory@example.test' })
    }

    for (const write of [rewrite, remove, make, upsert])
      await expect(write(), write.name).rejects.toThrow('users are written by auth.api')
    expect(await auth.rows(`select email from ${users} where id = $1`, [id])).toEqual([{ email }])
  })
})

describe('a host', () => {
  let auth: TestAuth
  const place = { schema: 'auth', namespace: '' }

  beforeAll(async () => {
    auth = await startTestAuth()
    await auth.auth.ready()
  })
  afterAll(() => auth?.close())

  it('spells its own columns by its own naming strategy', async () => {
    const user = await auth.given.user()
    const host = await hostOf(auth, place)
    const orm = await host.open({ namingStrategy: EntityCaseNamingStrategy })

    const found = await orm.em.fork().findOneOrFail(host.User, { emailConfirmedAt: { $ne: null } })

    await orm.close()
    expect(found.email).toBe(user.email)
  })

  it('has an entity User and a table users of its own beside ours', async () => {
    const { User, Note, open } = await hostOf(auth, place)
    const Own = defineEntity({
      name: 'User',
      tableName: 'users',
      properties: { id: p.integer().primary(), latchkey: () => p.oneToOne(User).owner() },
    })
    const orm = await open({ entities: [User, Note, Own] })

    const planned = await orm.schema.getUpdateSchemaSQL({ wrap: false })

    await orm.close()
    expect(planned).toContain('create table "users"')
    expect(planned).not.toContain('alter table "auth"')
  })

  it('reports our users by the name of their type', async () => {
    const { User, Note, open } = await hostOf(auth, place)
    const orm = await open({ entities: [User, Note] })

    const finding = orm.em.fork().findOneOrFail(User, crypto.randomUUID())

    await expect(finding).rejects.toThrow(/^LatchkeyUser not found/)
    await orm.close()
  })

  it('reads no hash, in no statement', async () => {
    const statements: string[] = []
    const host = await hostOf(auth, place)
    const orm = await host.open({
      debug: ['query'],
      colors: false,
      logger: (message) => statements.push(message),
    })

    await orm.em.fork().find(host.User, {})

    await orm.close()
    expect(statements.join()).toContain('"email_confirmed_at"')
    expect(statements.join()).not.toMatch(/password_hash|registered_|\*/)
  })
})

it('rejects other options: migrations would drop tables that it takes for unknown ones', () => {
  expect(() => latchkeyEntities({ prefix: 'app_' } as never)).toThrow('unknown option prefix')
})
