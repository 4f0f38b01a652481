// `npm run bench:growth -- --users 200000`: the same requests with 1,000 and with many users, and during a sweep.
import { cpus, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { databaseUrl, runSql } from '../../test/support/sql.ts'
import { startPostgres } from '../../test/support/start-postgres.ts'
import { median, quantile } from '../kit/statistics.ts'
import { fillDatabase, password, template } from './fill-database.ts'
import { type Served, startServed } from './served.ts'

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '200000' },
    sessions: { type: 'string', default: '5' },
    audit: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '300' },
    sweep: { type: 'string', default: '300000' },
  },
})
const few = 1_000
const many = Number(values.users)
const rounds = Number(values.rounds)

interface Site {
  users: number
  url: string
  server: Served
  serviceToken: string
  sql: pg.Client
}

const bareFirstPage = `
  select u.*, (select count(*) from auth.users where audience = 'authenticated') as total,
    (select json_agg(i) from auth.identities i where i.user_id = u.id) as identities
  from auth.users u where audience = 'authenticated' order by created_at desc, id limit 50`

const bareSearch = `
  select u.*, count(*) over () as total,
    (select json_agg(i) from auth.identities i where i.user_id = u.id) as identities
  from auth.users u where audience = 'authenticated'
    and (email like $1 or user_metadata ->> 'full_name' ilike $1)
  order by created_at desc, id limit 50`

const postgres = await startPostgres({
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: `${Math.round(totalmem() / 8 / 2 ** 20)}MB`,
  max_wal_size: '4GB',
})
const sites: Site[] = []
try {
  for (const users of [few, many]) sites.push(await openSite(users))
  await compare(sites)
  await sweep(sites[0] as Site)
} finally {
  for (const { server, sql } of sites) {
    await sql.end()
    await server.stop()
  }
  await postgres.stop()
}

async function openSite(users: number): Promise<Site> {
  const name = `growth_${users}`
  await runSql(postgres.url, `create database ${name}`)
  const url = databaseUrl(postgres.url, name)
  const server = await startServed(url)
  const startedAt = performance.now()
  await server.post('/signup', { email: template, password })
  await fillDatabase(url, { users, sessions: Number(values.sessions), audit: Number(values.audit) })
  const [size] = await runSql(
    url,
    `select pg_size_pretty(pg_database_size(current_database())) as all, (select string_agg(
      relname || ' ' || pg_size_pretty(pg_total_relation_size(oid)), ', ') from pg_class
      where relkind = 'r' and relname in ('users', 'identities', 'sessions', 'audit_entries')) as tables`,
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`${users} users: ${size?.['all']} (${size?.['tables']}), filled in ${seconds} s`)
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  return { users, url, server, serviceToken: server.serviceToken, sql }
}

/** Runs each request in turn at all sites, and prints the medians. */
async function compare(compared: Site[]): Promise<void> {
  const times = new Map<string, number[]>()
  const time = async (site: Site, name: string, act: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await act()
    const key = `${name} ${site.users}`
    const ms = performance.now() - startedAt
    times.set(key, [...(times.get(key) ?? []), ms])
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const site of round % 2 ? compared.toReversed() : compared) {
      const { server, serviceToken, sql } = site
      const n = 1 + ((round * 7919) % site.users)
      const email = `user-${n}@growth.test`
      let session = { access_token: '', refresh_token: '', user: { id: '' } }
      const as = (token: string) => ({ authorization: `Bearer ${token}` })
      const admin = (path: string) => server.get(path, as(serviceToken))
      await time(site, 'sign-in', async () => {
        session = await server.post('/token?grant_type=password', { email, password })
      })
      await time(site, 'refresh', () =>
        server.post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token }),
      )
      await time(site, 'GET /user', () => server.get('/user', as(session.access_token)))
      await time(site, 'sign-up', () =>
        server.post('/signup', { email: `new-${round}@growth.test`, password }),
      )
      await time(site, 'look-up by id', () => admin(`/admin/users/${session.user.id}`))
      await time(site, 'first page', () => admin('/admin/users?per_page=50'))
      await time(site, 'search', () => admin(`/admin/users?filter=user-${n}@`))
      await time(site, 'bare SQL: first page', () => sql.query(bareFirstPage))
      await time(site, 'bare SQL: search', () => sql.query(bareSearch, [`%user-${n}@%`]))
    }
  }
  console.log(
    `\n| request | p50 ms, ${few} users | p50 ms, ${many} users | ratio |\n|---|---|---|---|`,
  )
  for (const name of new Set([...times.keys()].map((key) => key.replace(/ \d+$/, '')))) {
    const [small = 0, large = 0] = compared.map(({ users }) =>
      median((times.get(`${name} ${users}`) ?? []).slice(20)),
    )
    const ratio = (large / small).toFixed(2)
    console.log(`| ${name} | ${small.toFixed(2)} | ${large.toFixed(2)} | ${ratio} |`)
  }
}

/** Measures refreshes while expired rows are deleted, and without. */
async function sweep(site: Site): Promise<void> {
  const { server, sql } = site
  const refreshesFor = async (isOver: () => Promise<boolean>) => {
    let { refresh_token } = await server.post('/token?grant_type=password', {
      email: 'user-1@growth.test',
      password,
    })
    const ms: number[] = []
    while (!(await isOver())) {
      for (let count = 0; count < 50; count += 1) {
        const startedAt = performance.now()
        const answer = await server.post('/token?grant_type=refresh_token', { refresh_token })
        refresh_token = answer.refresh_token
        ms.push(performance.now() - startedAt)
        await sleep(2)
      }
    }
    return { p50: median(ms), p99: quantile(ms, 0.99), count: ms.length }
  }
  const until = performance.now() + 15_000
  const control = await refreshesFor(async () => performance.now() > until)
  await sql.query(
    `insert into auth.decisions (id, request_id, created_at, expires_at, endpoint, status, kind, rule)
     select gen_random_uuid(), md5(n::text), now() - interval '2 days', now() - interval '1 day',
       'POST /token', 400, 'input', 'validation_failed' from generate_series(1, $1::int) n`,
    [values.sweep],
  )
  const left = async () => {
    const { rows } = await sql.query(
      'select exists(select from auth.decisions where expires_at < now()) as left',
    )
    return rows[0].left as boolean
  }
  const startedAt = performance.now()
  const during = await refreshesFor(
    async () => !(await left()) || performance.now() - startedAt > 240_000,
  )
  const seconds = (performance.now() - startedAt) / 1000
  console.log(
    `\nsweep of ${values.sweep} rows in ${seconds.toFixed(0)} s: refresh p50 ${during.p50.toFixed(2)} ms, ` +
      `p99 ${during.p99.toFixed(2)} ms; without p50 ${control.p50.toFixed(2)} ms, p99 ${control.p99.toFixed(2)} ms ` +
      `(p99 ${(during.p99 / control.p99).toFixed(2)} ×)`,
  )
}

console.log(
  `\n${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ` +
    `${values.sessions} sessions and ${values.audit} audit entries per user; PostgreSQL, servers and client share the cores`,
)
