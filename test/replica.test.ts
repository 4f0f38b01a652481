import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkReplica } from '../src/standalone/doctor/check-database.ts'
import { runSql } from './support/sql.ts'
import { type PostgresServer, startPostgres } from './support/start-postgres.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'
import { waitFor } from './support/wait-for.ts'
import { type SentStatement, startWireProxy, type WireProxy } from './support/wire-proxy.ts'

let server: PostgresServer
let replica: PostgresServer
let toPrimary: WireProxy
let toReplica: WireProxy
let auth: TestAuth
let token: string

beforeAll(async () => {
  server = await startPostgres({ wal_level: 'replica', max_wal_senders: '4' })
  replica = await server.startReplica()
})
afterAll(async () => {
  await replica?.stop()
  await server?.stop()
})

async function start(replicaUrl = toReplica.url): Promise<void> {
  auth = await startTestAuth({
    database: { url: toPrimary.url, replicaUrl, replicaMaxLagSeconds: 2 },
  })
  token = await auth.given.serviceToken()
}

beforeEach(async () => {
  toPrimary = await startWireProxy(server.url)
  toReplica = await startWireProxy(replica.url)
})
afterEach(async () => {
  await runSql(replica.url, 'select pg_wal_replay_resume()').catch(() => {})
  await auth?.close()
  await toReplica.close()
  await toPrimary.close()
})

/** Statements of the service itself: of the check, the connection, and tasks in the background. */
const isOfService = ({ name, text }: SentStatement) =>
  name === null
    ? /pg_is_in_recovery|search_path|pg_stat_activity|advisory|^(commit|begin)/.test(text)
    : /^(take_due|find_.*keys)/.test(name)
const statementsAt = (proxy: WireProxy) =>
  proxy
    .statements()
    .filter((one) => !isOfService(one))
    .map(({ name, text }) => name ?? text)

/** Runs an operation, and returns the names of the statements at both servers. */
async function watch<T>(act: () => Promise<T>) {
  toPrimary.reset()
  toReplica.reset()
  const result = await act()
  return { result, atPrimary: statementsAt(toPrimary), atReplica: statementsAt(toReplica) }
}

const newEmail = () => `${crypto.randomUUID()}@replica.test`
const list = () => auth.get('/admin/users', { token })
const stateOf = async () => (await auth.get('/ready')).body.replica
const untilState = (state: string) => waitFor(async () => expect(await stateOf()).toBe(state))

describe('a streaming replica', () => {
  beforeEach(async () => {
    await start()
    // The tables are migrated at the primary a moment before.
    await waitFor(async () => expect((await watch(list)).atPrimary).toEqual([]))
  })

  it('is read for lists of users, the audit log, exports and explanations, in the same number of statements', async () => {
    const user = await auth.given.user(newEmail())
    await waitFor(async () =>
      expect((await list()).body.users).toContainEqual(expect.objectContaining({ id: user.id })),
    )
    const { admin } = auth.auth
    const reads: [() => Promise<unknown>, number][] = [
      [list, 1],
      [() => auth.get('/admin/users?filter=example', { token }), 1],
      [() => admin.listUsers({ emailPrefix: 'a' }), 1],
      [() => admin.listUsers(), 1],
      [() => auth.get('/admin/audit', { token }), 1],
      [() => admin.listAudit(), 1],
      [() => admin.explain('a-request-without-decision'), 1],
    ]
    for (const [index, [read, count]] of reads.entries()) {
      const { atPrimary, atReplica } = await watch(read)
      expect([index, atPrimary, atReplica]).toEqual([
        index,
        [],
        Array(count).fill(expect.any(String)),
      ])
    }
    // On a busy machine the replica is behind for a while, and the primary is read.
    await waitFor(async () => {
      const exported = await watch(async () => (await admin.exportUser(user.id)).read())
      expect(exported.result.user?.id).toBe(user.id)
      // An export is recorded, and replicas do not contain the rows of unlogged tables.
      expect(exported.atPrimary).toEqual([
        'insert_audit_entries',
        'export_password_attempts',
        'export_rate_limit_buckets',
      ])
      expect(exported.atReplica).not.toContain('export_password_attempts')
      expect(exported.atReplica.length).toBeGreaterThan(5)
    })
  })

  it('receives no statement that decides or writes', async () => {
    const email = 'decides@replica.test'
    const { atReplica, result } = await watch(async () => {
      const { body } = await auth.post('/signup', { email, password: testPassword })
      const signedIn = await auth.post('/token?grant_type=password', {
        email,
        password: testPassword,
      })
      await auth.post('/token?grant_type=refresh_token', {
        refresh_token: signedIn.body.refresh_token,
      })
      const options = { token: body.access_token }
      await auth.get('/user', options)
      await auth.put('/user', { data: { n: 1 } }, options)
      await auth.get(`/admin/users/${body.user.id}`, { token })
      await auth.request('PUT', `/admin/users/${body.user.id}`, {
        token,
        body: { ban_duration: '1h' },
      })
      await auth.request('DELETE', `/admin/users/${body.user.id}`, { token, body: {} })
      return (await auth.post('/logout', {}, options)).status
    })

    expect(result).toBeLessThan(500)
    expect(atReplica).toEqual([])
  })

  it('is not read for a user or decision that was stored a moment ago', async () => {
    await runSql(replica.url, 'select pg_wal_replay_pause()')
    const user = await auth.given.user(newEmail())
    const rejected = await auth.post('/token?grant_type=password', {
      email: 'x@replica.test',
      password: 'wrong password',
    })

    expect((await (await auth.auth.admin.exportUser(user.id)).read()).user?.id).toBe(user.id)
    expect(await auth.auth.admin.explain(rejected.headers.get('x-request-id') ?? '')).not.toEqual(
      [],
    )
  })

  it('is skipped while its data is older than the bound, and read again later', async () => {
    await runSql(replica.url, 'select pg_wal_replay_pause()')
    const user = await auth.given.user(newEmail())
    await untilState('behind')

    const { atReplica, result } = await watch(list)
    await runSql(replica.url, 'select pg_wal_replay_resume()')
    await untilState('ok')
    const later = await watch(list)

    expect(result.body.users).toContainEqual(expect.objectContaining({ id: user.id }))
    expect(atReplica).toEqual([])
    expect([later.atPrimary, later.atReplica.length]).toEqual([[], 1])
    const messages = auth.log.map(({ message, fields }) => [message, fields['replica']])
    expect(messages).toContainEqual(['the replica is not used; the primary is read', 'behind'])
    expect(messages).toContainEqual(['the replica is used again', undefined])
  })

  it('that ends is skipped without a failed request', async () => {
    const lists = Promise.all(Array.from({ length: 20 }, list))
    toReplica.refuse()
    toReplica.cut()

    const answers = [...(await lists), await list(), await list()]

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await untilState('unreachable')
    toReplica.allow()
    await untilState('ok')
  })

  it('that does not respond delays a request by seconds at most, and later ones not at all', async () => {
    toReplica.ignore()
    toReplica.freeze()
    const startedAt = performance.now()

    const first = await list()
    const firstMs = performance.now() - startedAt
    const second = await list()
    const secondMs = performance.now() - startedAt - firstMs

    expect([first.status, second.status]).toEqual([200, 200])
    expect(firstMs).toBeLessThan(15_000)
    expect(secondMs).toBeLessThan(firstMs / 2)
    expect(await stateOf()).toBe('unreachable')
  })

  it('is not read in a transaction of the host', async () => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('begin')

    const { atReplica } = await watch(() => auth.auth.admin.listUsers({}, { tx: client }))
    await client.end()

    expect(atReplica).toEqual([])
  })
})

describe('an address of a replica', () => {
  const report = async () => {
    const { database, config } = await auth.deps()
    return checkReplica(database as never, config)
  }

  it('that cannot be reached leaves all reads to the primary, with a warning', async () => {
    toReplica.refuse()
    await start()

    expect((await list()).status).toBe(200)
    expect(await stateOf()).toBe('unreachable')
    expect(await report()).toMatchObject([{ level: 'warning', about: 'replica' }])
    expect(
      auth.log.filter(({ level, message }) => level === 'warn' && /replica/.test(message)),
    ).toHaveLength(1)
    expect(JSON.stringify(auth.log)).not.toContain(new URL(replica.url).password)
  })

  it('that leads to the primary itself, as a proxy without a replica does, is read', async () => {
    const toItself = await startWireProxy(server.url)
    await start(toItself.url)
    await list()

    expect(await stateOf()).toBe('ok')
    expect(await report()).toMatchObject([{ level: 'fine', about: 'replica' }])
    await auth.close()
    await toItself.close()
  })

  it('that leads to another database of the server is not read', async () => {
    await runSql(server.url, 'create database other')
    const other = new URL(server.url)
    other.pathname = '/other'
    await start(other.href)
    await list()

    expect(await stateOf()).toBe('behind')
    expect(await report()).toMatchObject([
      { message: expect.stringContaining('no replica of the primary') },
    ])
  })

  it('whose user may not read the tables leaves reads to the primary, with one warning', async () => {
    await runSql(server.url, "create role unprivileged login password 'unprivileged'")
    const unprivileged = new URL(server.url)
    unprivileged.username = 'unprivileged'
    unprivileged.password = 'unprivileged'
    await start(unprivileged.href)

    const statuses = [(await list()).status, (await list()).status]

    expect(statuses).toEqual([200, 200])
    expect(auth.log.filter(({ message }) => /failed at the replica/.test(message))).toMatchObject([
      { level: 'warn' },
    ])
  })

  it('that leads to another server is not read', async () => {
    const other = await startPostgres()
    await start(other.url)
    await list()

    expect(await stateOf()).toBe('behind')
    expect(await report()).toMatchObject([
      { message: expect.stringContaining('no replica of the primary') },
    ])
    await auth.close()
    await other.stop()
  })
})
