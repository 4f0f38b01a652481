import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hookNeeds } from '../../../test/support/hooks.ts'
import { runSql } from '../../../test/support/sql.ts'
import { runText } from '../../../test/support/statements.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { type OpenDatabase, openDatabase } from '../../service/persistence/open-database.ts'
import { postgresDriver } from '../../service/persistence/postgres.ts'
import { callHook } from './call-hook.ts'

let place: TestDatabase
let database: OpenDatabase

beforeAll(async () => {
  place = await createTestDatabase()
  const driver = postgresDriver({ url: place.url, maxPoolSize: 2, preparedStatements: true })
  database = await openDatabase(driver, { schema: 'auth', namespace: '' })
  await runSql(place.url, 'create table said (event jsonb)')
})

afterAll(async () => {
  await database.close()
  await place.drop()
})

/** Returns the result of a hook that is a function with this body; its argument is `event`. */
async function ask(body: string, type = 'jsonb', returned = type) {
  await runSql(
    place.url,
    `create or replace function public."My_hook"(event ${type}) returns ${returned} language plpgsql
     as $$ begin ${body} end $$`,
  )
  const hook = {
    enabled: true,
    secrets: [],
    run: null,
    uri: 'pg-functions://postgres/public/My_hook',
  }
  const event = { id: 'a', at: new Date('2026-03-01T12:00:00.000Z'), ip: null }
  const payload = { user_id: 'u1', note: "it's" }
  try {
    return await callHook({ ...hookNeeds, clock: systemClock, database }, hook, {
      ...event,
      payload,
      point: 'customAccessToken',
    })
  } finally {
    await runSql(place.url, 'drop function if exists public."My_hook"')
  }
}

describe('a hook that is a database function', () => {
  it('receives the payload, and its response is used', async () => {
    expect(await ask("return jsonb_build_object('claims', event);")).toEqual({
      claims: {
        metadata: { uuid: 'a', time: '2026-03-01T12:00:00.000Z', name: 'customize-access-token' },
        user_id: 'u1',
        note: "it's",
      },
    })
  })

  it('may accept json, and return nothing', async () => {
    expect(await ask('return null;', 'json')).toEqual({})
  })

  it('keeps its writes if it returns', async () => {
    await ask('insert into said values (event); return null;')
    await expect(ask("insert into said values (event); raise exception 'no';")).rejects.toThrow()

    expect(await runSql(place.url, "select event ->> 'user_id' as id from said")).toEqual([
      { id: 'u1' },
    ])
  })

  it('rejects as on the wire', async () => {
    const no = `return '{"error": {"http_code": 403, "message": "Not you"}}';`

    await expect(ask(no)).rejects.toMatchObject({ status: 403, message: 'Not you' })
  })

  it('fails if it raises an exception, whose details callers do not receive', async () => {
    await expect(ask("raise exception 's3cret';")).rejects.toMatchObject({
      code: 'unexpected_failure',
      status: 500,
      message: 'Error running hook',
    })
  })

  it('S15 fails if it returns several rows, of which one may be a rejection', async () => {
    const body = `return next '{"claims": {}}'; return next '{"error": "no"}';`

    await expect(ask(body, 'jsonb', 'setof jsonb')).rejects.toMatchObject({ status: 500 })
  })

  it('fails if it returns a value that is not an object', async () => {
    await expect(ask("return '[]';")).rejects.toMatchObject({
      message: 'Error unmarshaling JSON output.',
    })
  })

  it('has two seconds, and leaves no limit behind', async () => {
    await expect(ask('perform pg_sleep(10); return null;')).rejects.toMatchObject({
      code: 'hook_timeout',
      message: 'Failed to reach hook within maximum time of 2.000000 seconds',
    })
    const text = `select current_setting('statement_timeout') as "limit"`
    const [row] = await runText(database.sql, text)
    expect(row).toEqual({ limit: '0' })
  })
})
