import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ConsoleBrowser, consoleBrowsers, operatorRole } from './support/console.ts'
import { createTestDatabase } from './support/database.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { origin } from './support/page-browser.ts'
import { runSql } from './support/sql.ts'

// The rows that a page of the console reads do not depend on the number of users: lists are read by
// index, and at most 10,000 users are counted. CONSOLE_USERS=1000000 measures the times, too.

const wanted = Number(process.env['CONSOLE_USERS'] ?? 0)
const users = wanted || 12_000
const batch = 50_000

let auth: MessagingAuth
let drop: () => Promise<void>
/** Runs a statement on another connection, without the time limits of the service. */
let run: (text: string) => Promise<unknown>
let operator: ConsoleBrowser

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  run = (text) => runSql(database.url, text)
  // The sweep that runs once a minute reads users, too, and PostgreSQL counts all connections.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    jwt: {},
    encryptionKey: 'an encryption key of more than 32 bytes',
    usernames: { enabled: true },
    // The connection reports what it has read before it reads the sum.
    database: { url: database.url, maxPoolSize: 1 },
    console: { enabled: true },
  })
  operator = await consoleBrowsers(auth).strong(operatorRole)
  await auth.given.user('template@scale.test')
  for (let first = 1; first <= users; first += batch) {
    await addUsers(first, Math.min(users, first + batch - 1))
  }
  await run('vacuum analyze auth.users')
  await run('vacuum analyze auth.identities')
}, 900_000)
afterAll(async () => {
  vi.useRealTimers()
  await auth?.close()
  await drop?.()
})

/** Copies a user with an identity, for each number. */
async function addUsers(first: number, last: number): Promise<void> {
  const numbers = `generate_series(${first}, ${last}) n`
  await run(`insert into auth.users
    select (jsonb_populate_record(u, jsonb_build_object('id', gen_random_uuid(),
      'email', 'user' || n || '@scale.test', 'created_at', u.created_at - n * interval '1 minute'))).*
    from auth.users u, ${numbers} where u.email = 'template@scale.test'`)
  await run(`insert into auth.identities
    select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'user_id', u.id,
      'subject', u.id, 'email', u.email))).*
    from auth.identities i, ${numbers} join auth.users u on u.email = 'user' || n || '@scale.test'
    where i.email = 'template@scale.test'`)
}

interface Reads {
  scans: number
  rows: number
}

/** Returns the sequential scans and rows of users and identities that were read so far. */
async function reads(): Promise<Reads> {
  await auth.rows('select pg_stat_force_next_flush()')
  const [row] = await auth.rows<Reads>(
    `select sum(seq_scan)::int as scans,
      sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_user_tables where schemaname = 'auth' and relname in ('users', 'identities')`,
  )
  return row ?? { scans: 0, rows: 0 }
}

/** Returns the page, and the rows that its request read. */
async function measured(path: string) {
  const before = await reads()
  const { status, text } = await operator.get(path)
  const after = await reads()
  return {
    status,
    text,
    scans: after.scans - before.scans,
    rows: after.rows - before.rows,
  }
}

const idOf = async (email: string): Promise<string> => {
  const [row] = await auth.rows<{ id: string }>('select id from auth.users where email = $1', [
    email,
  ])
  return row?.id ?? ''
}

const list = '/auth/console/users'
const middle = `user${Math.floor(users / 2)}`

/** The pages, each with a text that it contains. */
const pages: Record<string, () => Promise<[path: string, contained: string]>> = {
  'the first page': async () => [list, 'rel="next"'],
  'a page far from it': async () => {
    const cursor = await farCursor()
    return [`${list}?${new URLSearchParams({ cursor })}`, 'rel="next"']
  },
  'a search by email prefix': async () => [`${list}?q=${middle}`, `${middle}@scale.test`],
  'a search by a prefix of all': async () => [`${list}?q=user`, 'rel="next"'],
  'a search by id': async () => {
    const id = await idOf(`${middle}@scale.test`)
    return [`${list}?q=${id}`, `${middle}@scale.test`]
  },
  'the page of a user': async () => {
    const id = await idOf(`${middle}@scale.test`)
    return [`${list}/${id}`, `${middle}@scale.test`]
  },
  'the overview': async () => ['/auth/console', 'class="cards"'],
}

/** Returns the cursor after 3,000 users, which are read 1,000 at a time. */
async function farCursor(): Promise<string> {
  let cursor: string | null = null
  for (let page = 0; page < 3; page += 1) {
    const listed: { nextCursor: string | null } = await auth.auth.admin.listUsers({
      limit: 1_000,
      cursor,
    })
    cursor = listed.nextCursor
  }
  return cursor ?? ''
}

/** The rows of a list. */
const mostRows = 500
/** The users that are counted where the number is shown. */
const mostCounted = 10_001
const counting = ['the first page', 'a page far from it', 'the overview']

describe(`the console with ${users.toLocaleString('en')} users`, () => {
  it.each(Object.entries(pages))('reads a bounded number of rows: %s', async (name, open) => {
    const [path, contained] = await open()
    // The first requests plan their statements.
    await operator.get(path)

    const { status, text, scans, rows } = await measured(path)

    expect(status).toBe(200)
    expect(text).toContain(contained)
    const counts = counting.includes(name)
    expect(scans).toBe(counts ? 1 : 0)
    expect(rows).toBeGreaterThan(0)
    expect(rows).toBeLessThan(mostRows + (counts ? mostCounted : 0))
  })
})

if (wanted === 0) {
  console.error(
    'NOT RUN: the times of the console with 1,000,000 users. CONSOLE_USERS=1000000 npx vitest run -c vitest.processes.config.ts test/console-scale.test.ts',
  )
} else {
  describe('the response times', () => {
    it('are measured', { timeout: 120_000 }, async () => {
      const lines: string[] = []
      for (const [name, open] of Object.entries(pages)) {
        const [path] = await open()
        const times: number[] = []
        for (let time = 0; time < 30; time += 1) {
          const start = performance.now()
          await operator.get(path)
          times.push(performance.now() - start)
        }
        const sorted = times.slice(5).toSorted((one, other) => one - other)
        const [first = 0] = times
        const median = sorted[Math.floor(sorted.length / 2)] ?? 0
        const slowest = sorted.at(-1) ?? 0
        lines.push(
          `${name}: median ${median.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms, first ${first.toFixed(1)} ms`,
        )
        expect(sorted).toHaveLength(25)
      }
      console.log(lines.join('\n'))
    })
  })
}
