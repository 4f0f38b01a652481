/**
 * The SQL of docs/row-level-security.md, and its functions for each library, which are regions of
 * this file. The tests with PgBouncer run where `pgbouncer` is installed.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import { PrismaPg } from '@prisma/adapter-pg'
import { sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { CompiledQuery, Kysely, sql as kyselySql, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccessTokenClaims } from '../src/index.ts'
import { PrismaClient } from './support/host-libraries.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from './support/pgbouncer.ts'
import { secondFactors } from './support/second-factors.ts'
import { type GivenSession, startTestAuth, type TestAuth } from './support/test-auth.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/row-level-security.md'), 'utf8')
const script = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)]
  .map(([, block = '']) => block)
  .join('\n')

type Claims = AccessTokenClaims | null
type Row = Record<string, unknown>

/** Runs statements of a user by one library, over a single connection. */
interface Library {
  query(claims: Claims, text: string): Promise<Row[]>
  /** Runs a statement outside of such a transaction. */
  plain(text: string): Promise<Row[]>
  close(): Promise<void>
}

const libraries: Record<string, (connectionString: string) => Promise<Library>> = {
  pg: async (connectionString) => {
    const pool = onePool(connectionString)
    // #region pg
    async function asUser<T>(
      claims: AccessTokenClaims | null,
      work: (client: pg.PoolClient) => Promise<T>,
    ): Promise<T> {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query(
          `select set_config('role', 'app_user', true), set_config('request.jwt.claims', $1, true)`,
          [JSON.stringify(claims ?? {})],
        )
        const result = await work(client)
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback')
        throw error
      } finally {
        client.release()
      }
    }
    // #endregion
    return {
      query: (claims, text) => asUser(claims, async (client) => (await client.query(text)).rows),
      plain: async (text) => (await pool.query(text)).rows,
      close: () => pool.end(),
    }
  },

  'postgres.js': async (connectionString) => {
    // Named statements are kept by a server connection, which PgBouncer changes.
    const db = postgres(connectionString, { max: 1, prepare: false })
    // #region postgres.js
    const asUser = <T>(
      claims: AccessTokenClaims | null,
      work: (trx: postgres.TransactionSql) => Promise<T>,
    ) =>
      db.begin(async (trx) => {
        await trx`select set_config('role', 'app_user', true),
          set_config('request.jwt.claims', ${JSON.stringify(claims ?? {})}, true)`
        return work(trx)
      })
    // #endregion
    return {
      query: async (claims, text) => (await asUser(claims, (trx) => trx.unsafe(text))) as Row[],
      plain: (text) => db.unsafe(text),
      close: () => db.end(),
    }
  },

  Drizzle: async (connectionString) => {
    const pool = onePool(connectionString)
    const db = drizzle(pool)
    // #region Drizzle
    const asUser = <T>(
      claims: AccessTokenClaims | null,
      work: (trx: Pick<NodePgDatabase, 'execute' | 'select' | 'insert'>) => Promise<T>,
    ) =>
      db.transaction(async (trx) => {
        await trx.execute(sql`select set_config('role', 'app_user', true),
          set_config('request.jwt.claims', ${JSON.stringify(claims ?? {})}, true)`)
        return work(trx)
      })
    // #endregion
    return {
      query: (claims, text) =>
        asUser(claims, async (trx) => (await trx.execute(sql.raw(text))).rows),
      plain: async (text) => (await db.execute(sql.raw(text))).rows,
      close: () => pool.end(),
    }
  },

  Kysely: async (connectionString) => {
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: onePool(connectionString) }),
    })
    const raw = (text: string) => CompiledQuery.raw(text)
    // #region Kysely
    const asUser = <T>(
      claims: AccessTokenClaims | null,
      work: (trx: Transaction<unknown>) => Promise<T>,
    ) =>
      db.transaction().execute(async (trx) => {
        await kyselySql`select set_config('role', 'app_user', true),
          set_config('request.jwt.claims', ${JSON.stringify(claims ?? {})}, true)`.execute(trx)
        return work(trx)
      })
    // #endregion
    return {
      query: (claims, text) =>
        asUser(claims, async (trx) => (await trx.executeQuery<Row>(raw(text))).rows),
      plain: async (text) => (await db.executeQuery<Row>(raw(text))).rows,
      close: () => db.destroy(),
    }
  },

  Prisma: async (connectionString) => {
    const pool = onePool(connectionString)
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
    // #region Prisma
    const asUser = <T>(
      claims: AccessTokenClaims | null,
      work: (trx: Pick<typeof prisma, '$queryRawUnsafe'>) => Promise<T>,
    ): Promise<T> =>
      prisma.$transaction(async (trx: typeof prisma) => {
        await trx.$queryRaw`select set_config('role', 'app_user', true),
          set_config('request.jwt.claims', ${JSON.stringify(claims ?? {})}, true)`
        return work(trx)
      })
    // #endregion
    return {
      query: (claims, text) =>
        asUser(claims, async (trx) => (await trx.$queryRawUnsafe(text)) as Row[]),
      plain: async (text) => (await prisma.$queryRawUnsafe(text)) as Row[],
      close: async () => {
        await prisma.$disconnect()
        await pool.end()
      },
    }
  },

  MikroORM: async (clientUrl) => {
    const orm = await MikroORM.init({
      entities: [],
      discovery: { warnWhenNoEntities: false },
      clientUrl,
      pool: { min: 0, max: 1 },
      logger: () => {},
    })
    // #region MikroORM
    const asUser = <T>(
      claims: AccessTokenClaims | null,
      work: (em: SqlEntityManager) => Promise<T>,
    ) =>
      orm.em.fork().transactional(async (em) => {
        await em.execute(
          `select set_config('role', 'app_user', true), set_config('request.jwt.claims', ?, true)`,
          [JSON.stringify(claims ?? {})],
        )
        return work(em)
      })
    // #endregion
    return {
      query: (claims, text) => asUser(claims, (em) => em.execute<Row[]>(text)),
      plain: (text) => orm.em.fork().execute<Row[]>(text),
      close: () => orm.close(),
    }
  },
}

/** A pool with one connection, so that each transaction uses that of the previous one. */
function onePool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1 })
  return pool.on('error', () => {})
}

let service: TestAuth
let ada: GivenSession & { claims: AccessTokenClaims }
let grace: GivenSession & { claims: AccessTokenClaims }

const withClaims = async (session: GivenSession) => ({
  ...session,
  claims: await service.auth.verifyToken(session.accessToken),
})

beforeAll(async () => {
  service = await startTestAuth({ anonymousUsers: { enabled: true } })
  ada = await withClaims(await service.given.session('ada@example.test'))
  grace = await withClaims(await service.given.session('grace@example.test'))
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  await client.query('drop role if exists app_user')
  await client.query(script)
  await client.query(
    `insert into members values ('engines', '${ada.user.id}'), ('engines', '${grace.user.id}'),
       ('compilers', '${grace.user.id}')`,
  )
  await client.query(
    `insert into documents (owner, team, shared_with, published, text) values
       ('${ada.user.id}', null, null, false, 'of Ada'),
       ('${ada.user.id}', null, 'grace@example.test', false, 'of Ada, for Grace'),
       ('${grace.user.id}', 'engines', null, false, 'of Grace, for engines'),
       ('${grace.user.id}', 'compilers', null, false, 'of Grace, for compilers'),
       ('${grace.user.id}', null, null, true, 'of Grace, public')`,
  )
  await client.query(`insert into reports (plan) values ('pro'), ('free')`)
  await client.end()
})
afterAll(async () => {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  await client.query('drop owned by app_user')
  await client.query('drop role app_user')
  await client.end()
  await service.close()
})

const read = 'select text from documents order by id'
const textsOf = (rows: readonly Row[]) => rows.map(({ text }) => text)

describe.each(Object.entries(libraries))('N10: row-level security with %s', (_, open) => {
  let library: Library
  beforeAll(async () => {
    library = await open(service.databaseUrl)
  })
  afterAll(() => library.close())

  it('returns the rows that the policies permit to each user', async () => {
    expect(textsOf(await library.query(ada.claims, read))).toEqual([
      'of Ada',
      'of Ada, for Grace',
      'of Grace, for engines',
      'of Grace, public',
    ])
    expect(textsOf(await library.query(grace.claims, read))).not.toContain('of Ada')
    expect(textsOf(await library.query(grace.claims, read))).toContain('of Ada, for Grace')
    expect(textsOf(await library.query(null, read))).toEqual(['of Grace, public'])
  })

  it('rejects a row of another owner, and rolls back', async () => {
    const forged = `insert into documents (owner, text) values ('${ada.user.id}', 'forged')`

    await expect(library.query(grace.claims, forged)).rejects.toThrow()
    expect(textsOf(await library.plain(read))).not.toContain('forged')
  })

  it('leaves neither role nor claims on the connection', async () => {
    const state = `select current_user::text as role, coalesce(auth.uid()::text, 'none') as uid`
    const [during] = await library.query(ada.claims, state)
    const [afterwards] = await library.plain(state)

    expect(during).toEqual({ role: 'app_user', uid: ada.user.id })
    expect(afterwards?.['role']).not.toBe('app_user')
    expect(afterwards?.['uid']).toBe('none')
  })

  it('leaves none after an error', async () => {
    await expect(library.query(ada.claims, 'select 1 / 0')).rejects.toThrow()
    const [afterwards] = await library.plain(`select coalesce(auth.uid()::text, 'none') as uid`)

    expect(afterwards?.['uid']).toBe('none')
  })
})

describe.runIf(hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer
  beforeAll(async () => {
    bouncer = await startPgBouncer(service.databaseUrl)
  })
  afterAll(() => bouncer.stop())

  it.each(Object.entries(libraries))(
    '%s keeps the claims of two clients apart',
    async (_, open) => {
      const [one, other] = [await open(bouncer.url), await open(bouncer.url)]
      const state = `select auth.uid()::text as uid, pg_backend_pid() as pid`
      const bothStates = await Promise.all(
        [1, 2, 3, 4].flatMap(() => [
          one.query(ada.claims, state),
          other.query(grace.claims, state),
          other.plain(state),
        ]),
      )

      expect(bothStates.map(([row]) => row?.['uid'])).toEqual(
        [1, 2, 3, 4].flatMap(() => [ada.user.id, grace.user.id, null]),
      )
      expect(new Set(bothStates.map(([row]) => row?.['pid'])).size).toBe(1)
      await Promise.all([one.close(), other.close()])
    },
  )
})

describe('N10: the policies of the page', () => {
  let library: Library
  beforeAll(async () => {
    library = await (libraries['pg'] as (url: string) => Promise<Library>)(service.databaseUrl)
  })
  afterAll(() => library.close())

  it('compare the plan of the metadata that only operators change', async () => {
    const { accessToken, user } = await service.given.session()
    await service.auth.api.updateUser({ accessToken, data: { plan: 'pro' } })
    await service.auth.admin.updateUser(user.id, { appMetadata: { plan: 'free' } })
    const { session } = await service.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: 'correct horse',
    })
    const claims = await service.auth.verifyToken(session.accessToken)

    expect(await library.query(claims, 'select plan from reports')).toEqual([{ plan: 'free' }])
    expect(await library.query(ada.claims, 'select plan from reports')).toEqual([])
  })

  it('permit deletion with a second factor only', async () => {
    const { accessToken, user, weak } = await secondFactors(service).aal2Session()
    const [before, after] = await Promise.all(
      [weak.accessToken, accessToken].map((token) => service.auth.verifyToken(token)),
    )
    const remove = `delete from documents where owner = '${user.id}' returning text`
    await library.query(after ?? null, `insert into documents (text) values ('strong')`)

    expect(await library.query(before ?? null, remove)).toEqual([])
    expect(await library.query(after ?? null, remove)).toEqual([{ text: 'strong' }])
  })

  it('reject rows of anonymous users', async () => {
    const { session } = await service.auth.api.signInAnonymously()
    const claims = await service.auth.verifyToken(session.accessToken)

    await expect(
      library.query(claims, `insert into documents (text) values ('anonymous')`),
    ).rejects.toThrow(/row-level security/)
  })

  it('return no tables of Latchkey', async () => {
    await expect(library.query(ada.claims, 'select * from auth.users')).rejects.toThrow(
      /permission denied/,
    )
  })
})
