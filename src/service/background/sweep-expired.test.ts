import { afterEach, describe, expect, it, vi } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { createSweeping } from './sweep-expired.ts'

const day = 24 * 60 * 60

let auth: TestAuth
afterEach(async () => {
  vi.useRealTimers()
  await auth.close()
})

async function started(
  auditLog: AuthConfig['auditLog'],
  changes: Partial<AuthConfig> = {},
): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  auth = await startTestAuth({ auditLog, ...changes })
  await auth.auth.ready()
}

/** Causes an audit entry. */
const act = () => auth.given.user()
const kept = async () => (await auth.rows('select 1 from auth.audit_entries')).length

/** Advances to the next sweep of expired rows, and waits until a row is deleted. */
async function aMinuteLater(isSwept: () => Promise<boolean>): Promise<void> {
  vi.advanceTimersByTime(60_000)
  await waitFor(async () => expect(await isSwept()).toBe(true))
}

/** Advances by minutes until a row is deleted: the previous sweep may still run at the first. */
const minutesLater = (isSwept: () => Promise<boolean>): Promise<void> =>
  waitFor(async () => {
    vi.advanceTimersByTime(60_000)
    expect(await isSwept()).toBe(true)
  })

it('deletes audit entries that are older than the retention time', async () => {
  await started({ retentionSeconds: 30 * day })
  await act()
  auth.clock.advance(day)
  await act()
  auth.clock.advance(29 * day + 1)

  await aMinuteLater(async () => (await kept()) === 1)
})

it('keeps them for a year by default', async () => {
  await started(undefined)
  await act()
  auth.clock.advance(day)
  await act()
  auth.clock.advance(364 * day + 1)

  await aMinuteLater(async () => (await kept()) === 1)
})

it('keeps them without end where no retention is set', async () => {
  await started({ retentionSeconds: 0 })
  await act()
  await auth.rows(
    `insert into auth.rate_limit_buckets values ('old', 1, '2000-01-01'), ('new', 1, '9000-01-01')`,
  )
  auth.clock.advance(10_000 * day)
  const buckets = async () => (await auth.rows('select 1 from auth.rate_limit_buckets')).length

  await aMinuteLater(async () => (await buckets()) === 1)
  // Rows that are swept after the buckets would be deleted by then.
  await new Promise((resolve) => setTimeout(resolve, 100))

  expect(await kept()).toBe(1)
})

it('deletes all old rows, in any number', async () => {
  await started({ retentionSeconds: day })
  await auth.rows(
    `insert into auth.audit_entries (id, created_at, action)
      select (lpad(to_hex(n), 12, '0') || '70008000000000000000')::uuid, '1970-01-01', 1
      from generate_series(1, 1200) n`,
  )
  await act()

  await aMinuteLater(async () => (await kept()) === 1)
})

describe('a limit', () => {
  const buckets = async () =>
    (await auth.rows<{ key: string }>('select key from auth.rate_limit_buckets order by key')).map(
      ({ key }) => key,
    )
  /** Stores a bucket as an access at this time would. */
  const touch = (key: string) =>
    auth.rows('insert into auth.rate_limit_buckets values ($1, 0, $2)', [key, auth.clock.now()])

  it('is deleted an hour after its last access; the attempts at a code, when codes expire', async () => {
    await started(undefined)
    await touch('a client')
    await touch('code-tries:of a code')
    auth.clock.advance(60)
    await touch('another client')
    auth.clock.advance(60 * 60 - 59)

    await aMinuteLater(async () => (await buckets()).length === 2)
    expect(await buckets()).toEqual(['another client', 'code-tries:of a code'])
    auth.clock.advance(day)
    await minutesLater(async () => (await buckets()).length === 0)
  })

  it.each<[string, Partial<AuthConfig>]>([
    ['an interval', { email: { autoconfirm: true, maxFrequencySeconds: 3 * day } }],
    ['a budget', { rateLimits: { emailSent: '10/72h' } }],
  ])('uses the longest configured time: %s', async (_, config) => {
    await started({ retentionSeconds: 2 * day }, config)
    await act()
    await touch('a client')
    auth.clock.advance(2 * day + 1)

    // Rows that are swept after the buckets are deleted by then.
    await aMinuteLater(async () => (await kept()) === 0)
    expect(await buckets()).toEqual(['a client'])
    auth.clock.advance(2 * day)
    await minutesLater(async () => (await buckets()).length === 0)
  })
})

it('deletes inactive anonymous users, where that is configured', async () => {
  const anonymousUsers = { enabled: true, staleAfterSeconds: 30 * day }
  await started({ retentionSeconds: 0 }, { anonymousUsers })
  await auth.auth.api.signInAnonymously()
  const users = async () => (await auth.rows('select 1 from auth.users')).length
  auth.clock.advance(30 * day + 1)

  await aMinuteLater(async () => (await users()) === 0)
})

it('keeps them by default', async () => {
  await started({ retentionSeconds: day }, { anonymousUsers: { enabled: true } })
  await auth.auth.api.signInAnonymously()
  await act()
  auth.clock.advance(10_000 * day)

  // They would be deleted before, or in the same round.
  await aMinuteLater(async () => (await kept()) === 0)
  await new Promise((done) => setTimeout(done, 200))

  expect(await auth.rows('select 1 from auth.users where is_anonymous')).toHaveLength(1)
})

it('H34: leaves expired rows to others where the sweep is disabled', async () => {
  await started({ retentionSeconds: 1 }, { database: { cleanupEnabled: false } })
  await act()
  auth.clock.advance(day)

  vi.advanceTimersByTime(60_000)
  await new Promise((done) => setTimeout(done, 500))

  expect(await kept()).toBe(1)
})

describe('H27: rows that accumulate faster than one round a minute deletes', () => {
  const many = 30_000

  it.each([
    [
      'rate_limit_buckets',
      `insert into auth.rate_limit_buckets select 'k' || n, 1, '1960-01-01' from generate_series(1, ${many}) n`,
    ],
    [
      'password_attempts',
      `insert into auth.password_attempts
        select 'k' || n, 1, gen_random_uuid(), '1960-01-01' from generate_series(1, ${many}) n`,
    ],
    [
      'spent_id_tokens',
      `insert into auth.spent_id_tokens select 'k' || n, '1960-01-01' from generate_series(1, ${many}) n`,
    ],
    [
      'spent_wallet_messages',
      `insert into auth.spent_wallet_messages select 'k' || n, '1960-01-01' from generate_series(1, ${many}) n`,
    ],
  ])('is deleted: %s', async (table, fill) => {
    await started(undefined)
    await auth.rows(fill)
    const left = async () => (await auth.rows(`select 1 from auth.${table} limit 1`)).length

    vi.advanceTimersByTime(60_000)

    await waitFor(async () => expect(await left()).toBe(0))
  })

  it('is deleted: one_time_tokens and authorization_codes', async () => {
    await started(undefined)
    const { id } = await auth.given.user()
    const rows = 1_500
    await auth.rows(
      `insert into auth.one_time_tokens (id, user_id, purpose, requested_by, sent_to, token_hash, code_hash,
          expires_at, created_at)
        select gen_random_uuid(), $1, 'purpose ' || n, 'signup', 'x', 'h' || n, 'c', '1960-01-01', '1960-01-01'
        from generate_series(1, ${rows}) n`,
      [id],
    )
    await auth.rows(
      `insert into auth.authorization_codes (id, user_id, code_hash, code_challenge, code_challenge_method,
          method, expires_at, created_at)
        select gen_random_uuid(), $1, 'h' || n, 'c', 's256', 'otp', '1960-01-01', '1960-01-01'
        from generate_series(1, ${rows}) n`,
      [id],
    )
    const left = () =>
      auth.rows(
        'select id from auth.one_time_tokens union all select id from auth.authorization_codes',
      )
    expect(await left()).toHaveLength(2 * rows)

    vi.advanceTimersByTime(60_000)

    await waitFor(async () => expect(await left()).toEqual([]))
  })

  it('of one table delay no other table, nor does one that cannot be swept', async () => {
    await started({ retentionSeconds: day })
    await act()
    auth.clock.advance(2 * day)
    await auth.rows('alter table auth.rate_limit_buckets rename to elsewhere')

    await aMinuteLater(async () => (await kept()) === 0)

    expect(auth.log.filter(({ message }) => message === 'expired rows not deleted')).toHaveLength(1)
  })
})

it('sweeps again after a logger has failed', async () => {
  await started(undefined)
  const fails = () => Promise.reject(new Error('no statement succeeds'))
  const deps = await auth.deps()
  const sweeping = createSweeping({
    ...deps,
    sql: { query: fails },
    database: { ...deps.database, sql: { query: fails } },
    logger: {
      ...deps.logger,
      warn: () => {
        throw new Error('the log is full')
      },
    },
  } as unknown as typeof deps)

  await expect(sweeping.sweep(1000)).rejects.toThrow('the log is full')
  await expect(sweeping.sweep(1000)).rejects.toThrow('the log is full')
})
