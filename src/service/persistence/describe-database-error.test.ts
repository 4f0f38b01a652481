import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, openHost } from '../../../test/support/host.ts'
import { runText } from '../../../test/support/statements.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { MissingTablesError } from '../../platform/errors/start-errors.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { tableNames } from './table-names.ts'

let auth: TestAuth
let host: Host

beforeAll(async () => {
  auth = await startTestAuth()
  host = await openHost(auth.databaseUrl)
  await auth.rows('create table public.thing (name text unique, size int check (size < 10))')
  await auth.rows(`insert into public.thing values ('canary', 1)`)
})
afterAll(async () => {
  await host.close()
  await auth.close()
})

const canary = 'canary'

const startDisposable = async () => {
  const own = await startTestAuth()
  return { ...own, [Symbol.asyncDispose]: () => own.close() }
}

/** Returns the error of a statement: outside a transaction, in one, and in one of a host. */
async function errorsOf(text: string): Promise<unknown[]> {
  const { database } = await auth.deps()
  const run = (sql: Queryable) => runText(sql, text.replace('?', '$1'), [canary])
  const settled = await Promise.allSettled([
    run(database.sql),
    database.transaction(({ sql }) => run(sql)),
    host.transaction((em) => run(database.join(em).sql)),
  ])
  return settled.map((one) => (one.status === 'rejected' ? one.reason : 'nothing was thrown'))
}

const everythingOf = (error: unknown) => inspect(error, { depth: 12, showHidden: true })

describe('an error of the database (rule 10)', () => {
  it.each([
    ['a check', 'insert into public.thing values (?, 99)', '23514'],
    ['a cast', 'select (?::text)::int', '22P02'],
    ['a column', 'select nosuch from public.thing where name = ?', '42703'],
    ['a syntax', 'selekt ?', '42601'],
    ['an exception', `do $$ begin raise exception 'canary'; end $$ -- ?`, 'P0001'],
  ])('about %s contains code and stack, and no value', async (_case, text, code) => {
    for (const error of await errorsOf(text)) {
      // A statement without parameters is already rejected for that.
      if (code !== 'P0001') expect(error).toMatchObject({ name: 'DatabaseError', code })
      expect(everythingOf(error)).not.toContain(canary)
      expect((error as Error).stack).toMatch(/\n\s+at /)
    }
  })

  it('about a duplicate name becomes a conflict, which does not quote it, not even as its cause', async () => {
    for (const error of await errorsOf('insert into public.thing values (?, 2)')) {
      expect(error).toMatchObject({ name: 'AuthError', code: 'conflict', status: 409 })
      expect(everythingOf(error)).not.toContain(canary)
    }
  })

  it('about one of our rows whose user was deleted concurrently becomes a conflict', async () => {
    const text = `insert into auth.one_time_tokens (id, user_id, purpose, requested_by, audience, sent_to, token_hash,
        code_hash, expires_at, created_at)
      values (gen_random_uuid(), gen_random_uuid(), 'recovery', 'otp', '', ?, 'hash', 'hash', now(), now())`
    for (const error of await errorsOf(text)) {
      expect(error).toMatchObject({ name: 'AuthError', code: 'conflict', status: 409 })
      expect(everythingOf(error)).not.toContain(canary)
    }
  })

  it('about a row of the host that refers to a user stays an error', async () => {
    const { id } = await auth.given.user('referred-to@example.test')
    await auth.rows('create table public.owned (user_id uuid references auth.users)')
    await auth.rows('insert into public.owned values ($1)', [id])

    const errors = await errorsOf(`delete from auth.users where id = '${id}' and ? <> ''`)

    for (const error of errors) expect(error).toMatchObject({ name: 'DatabaseError' })
  })

  it('about privileges and schema keeps its message, which contains no row', async () => {
    const [error] = await errorsOf('select * from public.nosuch where x = ?')

    expect(error).toMatchObject({ message: 'relation "public.nosuch" does not exist' })
  })
})

describe('a missing table of ours', () => {
  it.each([
    [
      'the tables',
      'drop schema auth cascade; create schema auth',
      'relation "auth.users" does not exist',
    ],
    ['their schema', 'drop schema auth cascade', '"auth'],
  ])('without %s, the error names the command that creates them', async (_, drop, cause) => {
    await using own = await startDisposable()
    await own.auth.ready()
    await own.rows(drop)

    const error = await own.auth.admin.findUser({ email: 'ada@example.test' }).catch((one) => one)

    expect(error).toBeInstanceOf(MissingTablesError)
    expect(error.message).toContain('`latchkey migrate`')
    expect(error.cause.message).toContain(cause)
  })
})

it('a missing table of the host is reported as such', () => {
  const printed = Object.assign(new Error('relation "auth.customers" does not exist'), {
    code: '42P01',
    severity: 'ERROR',
  })
  const { isOurs } = tableNames({ schema: 'auth', namespace: '' })

  expect(describeDatabaseError(printed, isOurs)).toMatchObject({ message: printed.message })
})

describe('a lost connection', () => {
  it.each([
    ['ECONNREFUSED', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['57P01', Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' })],
    ['53300', Object.assign(new Error('too many clients'), { code: '53300', severity: 'FATAL' })],
    ['the driver’s words', new Error('Connection terminated unexpectedly')],
    ['a cause', new Error('it failed', { cause: Object.assign(new Error(), { code: 'EPIPE' }) })],
  ])('by %s is a 503 with Retry-After', (_case, error) => {
    expect(describeDatabaseError(error)).toMatchObject({
      name: 'AuthError',
      code: 'service_unavailable',
      status: 503,
      details: { retryAfterSeconds: 1 },
    })
  })

  it('does not include other errors, which stay unchanged', () => {
    for (const error of [new TypeError('x'), 'text', undefined]) {
      expect(describeDatabaseError(error)).toBe(error)
    }
  })
})

describe('a state of the server that passes', () => {
  const thrown = (fields: object) => Object.assign(new Error('server'), fields)

  it.each([
    ['recovery', { code: '55000' }],
    ['start', { code: '57P03' }],
    ['a full disk', { code: '53100' }],
    ['a failing disk', { code: '58030' }],
    ['a lock that was not granted in time', { code: '55P03' }],
    ['an internal error that ends the connection', { code: 'XX000', severity: 'FATAL' }],
    ['an unlogged table on a standby', { code: '0A000', routine: 'get_relation_info' }],
    ['a connection that was not opened', { code: 'XX000', isConnecting: true }],
  ])('is a 503: %s', (_, fields) => {
    expect(describeDatabaseError(thrown(fields))).toMatchObject({
      code: 'service_unavailable',
      details: { retryAfterSeconds: 1 },
    })
    const wrapped = new Error('wrapped', { cause: thrown(fields) })
    expect(describeDatabaseError(wrapped)).toMatchObject({ code: 'service_unavailable' })
  })

  it.each([
    ['an internal error of a statement', { code: 'XX000', severity: 'ERROR' }],
    ['a feature that is not supported', { code: '0A000' }],
  ])('is not %s', (_, fields) => {
    expect(describeDatabaseError(thrown(fields))).not.toMatchObject({ code: 'service_unavailable' })
  })
})
