import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type PageBody, type PagesAdmin, pagesBeside, type TestPages } from './support/pages.ts'
import { runSql } from './support/sql.ts'
import { startTestAuth } from './support/test-auth.ts'
import { startWireProxy, type WireProxy } from './support/wire-proxy.ts'

// A page and its entries are written together or not at all if the connection is lost, and
// concurrent writes are not mixed.

let database: TestDatabase
let proxy: WireProxy
let pages: TestPages
let maria: PagesAdmin

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startWireProxy(database.url)
  const auth = await startTestAuth({ database: { url: proxy.url, maxPoolSize: 8 } })
  pages = pagesBeside(auth)
  maria = await pages.admin()
})
afterAll(async () => {
  await pages.close()
  await proxy.close()
  await database.drop()
})

const numbered = (text: string) =>
  Array.from({ length: 50 }, (_, at) => ({ key: `k${String(at).padStart(2, '0')}`, value: text }))

/** Reads the stored rows without the proxy, whatever happens to our connections. */
const stored = () =>
  runSql(
    database.url,
    `select p.title, p.active, count(e.*)::int as entries, count(distinct e.value)::int as kinds,
      min(e.value) as value
     from auth.subscribe_pages p left join auth.subscribe_page_entries e on e.page_id = p.id
     group by p.id order by p.id`,
  )

/** An entry at which PostgreSQL sleeps. The page and the entries before it are written by then. */
const slow = { key: 'k25', value: 'slow' }
const withSlow = (text: string) =>
  numbered(text).map((entry) => (entry.key === slow.key ? slow : entry))

const layTrap = () =>
  runSql(
    database.url,
    `create function public.fall_asleep() returns trigger language plpgsql as $$
      begin if new.value = 'slow' then perform pg_sleep(30); end if; return new; end $$;
    create trigger trap before insert or update on auth.subscribe_page_entries
      for each row execute function public.fall_asleep()`,
  )

/** Ends the sleeping connection, as a crash of the server's process does. */
async function killSleeping(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const killed = await runSql(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event = 'PgSleep'`,
    )
    if (killed.length > 0) return
    await sleep(20)
  }
  throw new Error('no connection is sleeping')
}

describe('a connection that is killed in the middle', () => {
  beforeAll(layTrap)

  it('leaves no row of a page that was being created', async () => {
    const before = await stored()

    const requested = pages.ask('POST', '/subscribe-pages', {
      key: maria.key,
      body: { title: 'Half', data: withSlow('x') },
    })
    await killSleeping()

    expect((await requested).status).toBe(503)
    expect(await stored()).toEqual(before)
  })

  it('does not change a page that was being replaced', async () => {
    const { id } = await pages.page(maria.key, { title: 'Whole', data: numbered('before') })
    const before = await stored()

    const requested = pages.ask('PUT', `/subscribe-pages/${id}`, {
      key: maria.key,
      body: { title: 'Half', data: withSlow('after').slice(0, 30) },
    })
    await killSleeping()

    expect((await requested).status).toBe(503)
    expect(await stored()).toEqual(before)
  })

  it('is replaced by a working one', async () => {
    const { status } = await pages.ask('GET', '/subscribe-pages', { key: maria.key })

    expect(status).toBe(200)
  })
})

describe('N17: concurrent replacements of a page', () => {
  it('wait for each other: all are stored as a whole, one after another', async () => {
    const { id } = await pages.page(maria.key, { data: numbered('start') })
    const bodies = Array.from({ length: 20 }, (_, at) => ({
      title: `by ${at}`,
      active: true,
      data: [...numbered(`by ${at}`), { key: `own ${at}`, value: `by ${at}` }],
    }))

    const answers = await Promise.all(
      bodies.map((body) => pages.ask('PUT', `/subscribe-pages/${id}`, { key: maria.key, body })),
    )
    const { body: left } = await pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key })

    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    const page: PageBody = left
    expect(page.data).toHaveLength(51)
    expect(new Set(page.data.map(({ value }) => value))).toEqual(new Set([page.title]))
    expect(answers.map(({ body }) => body)).toContainEqual(left)
  })

  it('return 404 when it is deleted meanwhile', async () => {
    const { id } = await pages.page(maria.key, { data: numbered('start') })
    const update = () =>
      pages.ask('PUT', `/subscribe-pages/${id}`, { key: maria.key, body: { title: 'New' } })

    const answers = await Promise.all([
      update(),
      pages.ask('DELETE', `/subscribe-pages/${id}`, { key: maria.key }),
      update(),
    ])

    for (const { status } of answers) expect([200, 204, 404]).toContain(status)
    const left = await runSql(
      database.url,
      `select 1 from auth.subscribe_page_entries where page_id = ${id}`,
    )
    expect([left, (await update()).status]).toEqual([[], 404])
  })
})

it('two concurrent first pages of one user have one owner', async () => {
  const { key } = await pages.admin()

  const made = await Promise.all(Array.from({ length: 6 }, () => pages.page(key)))

  expect(new Set(made.map(({ owner }) => owner.id)).size).toBe(1)
})

it('numbers are for owners only: writing again assigns no further number', async () => {
  const { id, owner } = await pages.page((await pages.admin()).key)
  const next = await pages.admin()
  for (let times = 0; times < 3; times += 1) {
    await pages.ask('PUT', `/subscribe-pages/${id}`, { key: maria.key, body: { title: 'Again' } })
  }

  const page = await pages.page(next.key)

  expect(page.owner.id).toBe(owner.id + 1)
})

it('a user who is deleted meanwhile writes nothing', async () => {
  const deleted = await pages.admin()
  const page = await pages.page(maria.key, { title: 'Hers', data: numbered('hers') })
  const body = { title: 'Theirs', data: [] }
  const deletion = await beginDeletion(deleted.user.id)

  const requested = Promise.all([
    pages.ask('PUT', `/subscribe-pages/${page.id}`, { key: deleted.key, body }),
    pages.ask('POST', '/subscribe-pages', { key: deleted.key, body }),
  ])
  await deletion.commitOnceWaitedFor(2)

  expect((await requested).map(({ status }) => status)).toEqual([403, 403])
  const read = await pages.ask('GET', `/subscribe-pages/${page.id}`, { key: maria.key })
  expect(read.body).toEqual(page)
})

/** Begins a deletion that other transactions wait for. */
async function beginDeletion(userId: string) {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('begin')
  await client.query('delete from auth.users where id = $1', [userId])
  const countWaiting = async () => {
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return (await runSql(database.url, waiting)).length
  }
  return {
    commitOnceWaitedFor: async (count: number) => {
      for (let tries = 0; (await countWaiting()) < count; tries += 1) {
        if (tries > 100) throw new Error('no request waits for the deletion')
        await sleep(20)
      }
      await client.query('commit')
      await client.end()
    },
  }
}
