import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../test/support/test-auth.ts'
import type { HostTransaction } from '../sql/host-transaction.ts'

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

/** What hands on statements to a client, and answers the rows alone, as many libraries do. */
const rowsAlone = (): HostTransaction => ({
  query: async (text, values) => (await client.query(text, values)).rows,
})

describe.each([
  ['a client of pg', () => client],
  ['what answers rows alone', rowsAlone],
])('in a transaction of %s', (what, open) => {
  const email = (name: string) => `${name}.${what.replaceAll(' ', '-')}@example.test`

  it('a user comes with the host’s rows, which may refer to it at once', async () => {
    await client.query('begin')
    const user = await auth.auth.admin.createUser({ email: email('ada') }, { tx: open() })
    await client.query('insert into customers values ($1)', [user.id])
    await client.query('commit')

    expect(await auth.rows('select id from public.customers where id = $1', [user.id])).toEqual([
      { id: user.id },
    ])
  })

  it('a user goes with it, with the session and the message of a sign-up', async () => {
    await client.query('begin')
    const tx = open()
    await auth.auth.admin.createUser({ email: email('eve') }, { tx })
    await auth.auth.api.signUp({ email: email('bob'), password: testPassword }, { tx })
    await client.query('rollback')

    const left = 'select 1 from auth.users where email = any($1)'
    expect(await auth.rows(left, [[email('eve'), email('bob')]])).toEqual([])
  })
})

describe('an option', () => {
  it.each([
    [{ transaction: {} }, 'there is no option transaction'],
    [{ tx: {} }, 'tx has to have a method query'],
    [
      { tx: { query: async () => [] }, em: { getTransactionContext: () => ({}) } },
      'em and tx are two transactions',
    ],
  ])('that means nothing is refused, and nothing happens: %j', async (options, said) => {
    const creating = auth.auth.admin.createUser({ email: 'nobody@example.test' }, options as object)

    await expect(creating).rejects.toThrow(said)
    expect(await auth.auth.admin.findUser({ email: 'nobody@example.test' })).toBeNull()
  })
})
