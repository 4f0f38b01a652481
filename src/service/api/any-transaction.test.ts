import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { HostTransaction } from '../../platform/sql/host-transaction.ts'

// A host that keeps its own tables beside ours, and has no MikroORM.

let auth: TestAuth
let client: pg.Client

beforeAll(async () => {
  auth = await startTestAuth()
  await auth.rows('create table public.customers (id uuid primary key references auth.users (id))')
  client = new pg.Client(auth.databaseUrl)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await auth.close()
})

/**
 * A transaction that passes statements to a client and returns only the rows, as many libraries do.
 */
const rowsAlone = (): HostTransaction => ({
  query: async (text, values) => (await client.query(text, values)).rows,
})

describe.each([
  ['a client of pg', () => client],
  ['an object that returns only rows', rowsAlone],
])('in a transaction of %s', (what, open) => {
  const email = (name: string) => `${name}.${what.replaceAll(' ', '-')}@example.test`

  it('a user is committed with the host’s rows, which may refer to it at once', async () => {
    await client.query('begin')
    const user = await auth.auth.admin.createUser({ email: email('ada') }, { tx: open() })
    await client.query('insert into customers values ($1)', [user.id])
    await client.query('commit')

    expect(await auth.rows('select id from public.customers where id = $1', [user.id])).toEqual([
      { id: user.id },
    ])
  })

  it('a user is rolled back with it, with the session and the message of a sign-up', async () => {
    await client.query('begin')
    const tx = open()
    await auth.auth.admin.createUser({ email: email('eve') }, { tx })
    await auth.auth.api.signUp({ email: email('bob'), password: testPassword }, { tx })
    await client.query('rollback')

    const left = 'select 1 from auth.users where email = any($1)'
    expect(await auth.rows(left, [[email('eve'), email('bob')]])).toEqual([])
  })
})

/** A client of another service's database. */
async function openClient(other: TestAuth) {
  const opened = new pg.Client(other.databaseUrl)
  await opened.connect()
  const close = async () => {
    await opened.end()
    await other.close()
  }
  return { client: opened, [Symbol.asyncDispose]: close }
}

describe('an invalid transaction', () => {
  const creating = (tx: HostTransaction) =>
    auth.auth.admin.createUser({ email: 'nobody@example.test' }, { tx })

  afterEach(async () => {
    expect(await auth.auth.admin.findUser({ email: 'nobody@example.test' })).toBeNull()
  })

  it('is a client before its transaction begins, and after its end', async () => {
    const refused = new TypeError('tx runs no transaction')

    await expect(creating(client)).rejects.toThrow(refused)
    await client.query('begin')
    await client.query('commit')
    await expect(creating(client)).rejects.toThrow(refused)
  })

  it.each(['em', 'tx'])('is %s among the input, where it is no option', async (name) => {
    const user = await auth.given.user()
    const given = { [name]: client } as never
    const calls = [
      () => auth.auth.admin.deleteUser(user.id, given),
      () => auth.auth.admin.banUser(user.id, given),
      () => auth.auth.admin.listUsers(given),
      () =>
        auth.auth.api.signUp({ email: 'nobody@example.test', password: 'x', ...(given as object) }),
    ]

    for (const call of calls) {
      await expect(call()).rejects.toThrow(
        `${name} belongs to the options, which are the last argument`,
      )
    }
    expect(await auth.auth.admin.getUser(user.id)).toMatchObject({ bannedUntil: null })
  })

  it('is null', async () => {
    await expect(creating(null as never)).rejects.toThrow('tx is null')
  })

  it('is a transaction that has failed, until it is rolled back', async () => {
    await client.query('begin')
    await expect(client.query('select 1/0')).rejects.toThrow('division by zero')

    await expect(creating(client)).rejects.toThrow(/current transaction is aborted/)

    await client.query('rollback')
  })

  it('is a client that was closed', async () => {
    const closed = new pg.Client(auth.databaseUrl)
    await closed.connect()
    await closed.end()

    await expect(creating(closed)).rejects.toThrow('Client was closed')
  })

  it.each([
    ['rows and their count', (rows: unknown[]) => [rows, rows.length]],
    ['rows as arrays', (rows: object[]) => rows.map(Object.values)],
    ['a count', (rows: unknown[]) => ({ rowCount: rows.length })],
    ['nothing', () => undefined],
  ])('is one that returns %s', async (_, answer) => {
    await client.query('begin')
    const query = async (text: string, values: unknown[]) =>
      answer((await client.query(text, values)).rows)

    await expect(creating({ query })).rejects.toThrow('must return rows')

    await client.query('rollback')
  })

  it('is one that returns no rows, which would look like a conflict', async () => {
    await client.query('begin')
    const query = async (text: string, values: unknown[]) => {
      await client.query(text, values)
      return []
    }

    await expect(creating({ query })).rejects.toThrow(
      'the method query of tx returned no row where there is one',
    )

    await client.query('rollback')
  })

  it.each([
    ['with a Latchkey of its own', () => startTestAuth()],
    [
      'without one',
      async () => {
        const other = await startTestAuth()
        await other.rows('drop schema auth cascade')
        return other
      },
    ],
  ])('is a transaction of another database, %s', async (_, start) => {
    await using other = await openClient(await start())
    await other.client.query('begin')

    await expect(creating(other.client)).rejects.toThrow(
      new TypeError(
        "tx runs its transaction in another database than the one of Latchkey's configuration, `database`",
      ),
    )

    // It can be used on.
    await other.client.query('select 1')
  })
})
