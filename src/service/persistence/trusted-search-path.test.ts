import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { trustSearchPath } from './trusted-search-path.ts'

let database: TestDatabase
let attacker: string

beforeEach(async () => {
  database = await createEmptyDatabase()
  attacker = `latchkey_other_${randomBytes(6).toString('hex')}`
  await runSql(database.url, `create role ${attacker} login password 'secret'`)
})
afterEach(async () => {
  await database.drop()
  await runSql(inject('databaseUrl'), `drop role ${attacker}`)
})

async function pathAfter(url: string, change = (_client: pg.Client): void => {}): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  change(client)
  await trustSearchPath(client)
  const { rows } = await client.query(`select current_setting('search_path') as path`)
  await client.end()
  return rows[0].path
}

describe('S56: the search path of a connection', () => {
  it('runs no operator of another role in the statements of requests', async () => {
    await runSql(database.url, 'grant create on schema public to public')
    await runSql(database.url, 'create table public.runs (role text)')
    await runSql(database.url, 'grant insert on public.runs to public')
    const asAttacker = Object.assign(new URL(database.url), {
      username: attacker,
      password: 'secret',
    }).href
    await runSql(
      asAttacker,
      `create function public.equals(varchar, varchar) returns boolean language plpgsql as $$
        begin insert into public.runs values (current_user); return $1::text = $2::text; end $$`,
    )
    await runSql(
      asAttacker,
      'create operator public.= (leftarg = varchar, rightarg = varchar, function = public.equals)',
    )
    const auth = await startTestAuth({ database: { url: database.url } })
    const { accessToken } = await auth.given.session('ada@example.test')
    const guess = { email: 'ada@example.test', password: 'wrong horse' }
    await auth.post('/token?grant_type=password', guess)
    await auth.post('/otp', { email: 'ada@example.test' })
    await auth.post('/verify', { type: 'email', token_hash: 'a'.repeat(56) })
    await auth.get('/user', { token: accessToken })
    await auth.close()

    expect(await runSql(database.url, 'select distinct role from public.runs')).toEqual([])
  })

  it('keeps schemas in which no other role can create objects', async () => {
    await runSql(database.url, 'revoke create on schema public from public')

    expect(await pathAfter(database.url)).toBe('public')
  })

  it('loses schemas in which other roles can create objects, and those owned by other roles', async () => {
    const { pathname } = new URL(database.url)
    await runSql(database.url, 'create schema own')
    await runSql(database.url, `create schema foreign_one authorization ${attacker}`)
    await runSql(
      database.url,
      `alter database "${pathname.slice(1)}" set search_path = foreign_one, own, public`,
    )
    await runSql(database.url, `grant create on schema public to ${attacker}`)

    expect(await pathAfter(database.url)).toBe('own')
  })

  it('is not changed behind a pooler', async () => {
    await runSql(database.url, 'grant create on schema public to public')
    const hidden = (client: pg.Client) => Object.assign(client, { processID: 1 })

    expect(await pathAfter(database.url, hidden)).toBe('"$user", public')
  })
})
