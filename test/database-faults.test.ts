import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startErrorPooler } from './support/error-pooler.ts'
import { loadEnvironment, type Observed, startFaultLoad, timedGet } from './support/fault-load.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { type PostgresServer, startPostgres } from './support/start-postgres.ts'
import { waitFor } from './support/wait-for.ts'
import { startWireProxy } from './support/wire-proxy.ts'

/**
 * The duration of each fault. `FAULT_SECONDS=20` is longer than the timeouts of connections.
 */
const faultMs = Number(process.env['FAULT_SECONDS'] ?? 3) * 1000
/**
 * Other tests use the same cores, so that only requests that hang are found. On a quiet machine,
 * `FAULT_SLACK=1` verifies the promised times.
 */
const slack = Number(process.env['FAULT_SLACK'] ?? 5)
const maxRequestMs = 3_000
const environment = { ...loadEnvironment, AUTH_API_MAX_REQUEST_DURATION: `${maxRequestMs / 1000}s` }

/** A fault of the database, which begins and ends. */
interface Fault {
  begin(): Promise<unknown> | unknown
  end(): Promise<unknown> | unknown
  /** The time after its end within which each kind of request succeeds. */
  restoredMs?: number
  /** Whether `/ready` reports it: a lock on a table does not prevent every statement. */
  isReported?: boolean
}

const describeOne = ({ kind, status, problem, startedAt, endedAt }: Observed) =>
  `${kind} ${status} ${problem ?? ''} after ${Math.round(endedAt - startedAt)} ms`

/** Runs a fault under load, and verifies the promises. */
async function endure(url: string, { begin, end, restoredMs = 3_000, isReported = true }: Fault) {
  const load = await startFaultLoad(url)
  await load.recovered(10_000)
  await begin()
  const from = performance.now()
  const static_: { status: number; ms: number }[] = []
  const ready: { status: number; ms: number; sinceMs: number }[] = []
  // A result of `/ready` is reused for a second, and one that waits for the database takes longer
  // than short faults.
  const isLate = ({ sinceMs }: { sinceMs: number }) => sinceMs > 1_200
  while (performance.now() - from < faultMs || !ready.some(isLate)) {
    static_.push(await timedGet(`${url}/health`), await timedGet(`${url}/.well-known/jwks.json`))
    const sinceMs = performance.now() - from
    ready.push({ sinceMs, ...(await timedGet(`${url}/ready`)) })
    await sleep(300)
  }
  await end()
  const restoredAfter = await load.recovered(20_000)
  const all = await load.end()
  const faulty = all.filter(({ status }) => ![200, 422].includes(status))

  expect(
    all.filter(({ status }) => ![200, 422, 503, 504].includes(status)).map(describeOne),
  ).toEqual([])
  expect(
    faulty.filter(({ status, retryAfter }) => status === 503 && !retryAfter).map(describeOne),
  ).toEqual([])
  expect(
    all
      .filter(({ startedAt, endedAt }) => endedAt - startedAt > maxRequestMs + 1_500 * slack)
      .map(describeOne),
  ).toEqual([])
  expect(static_.filter(({ status, ms }) => status !== 200 || ms > 1_000 * slack)).toEqual([])
  expect(ready.filter(({ ms }) => ms > 3_500 * slack)).toEqual([])
  const late = ready.filter(isLate)
  if (isReported) expect(new Set(late.map(({ status }) => status))).toEqual(new Set([503]))
  // Its result is reused for a second.
  await waitFor(async () => expect((await timedGet(`${url}/ready`)).status).toBe(200))
  expect(restoredAfter).toBeLessThan(restoredMs * slack)
  return { faulty, restoredAfter }
}

describe('PostgreSQL that', () => {
  let postgres: PostgresServer
  let server: ServerProcess
  const sql = (text: string) => runSql(postgres.url, text)

  beforeAll(async () => {
    // Acknowledged transactions survive the end of the server, as by default.
    postgres = await startPostgres({ max_connections: '40', synchronous_commit: 'on' })
    await sql(`create role service login password 'secret'; `)
    await sql('grant create on database postgres to service')
    const url = Object.assign(new URL(postgres.url), { username: 'service', password: 'secret' })
    server = await startServer(url.href, environment)
  })
  afterAll(async () => {
    const ending = await server?.stop()
    await postgres?.stop()
    expect(ending?.code).toBe(0)
  })

  it('ends and starts again', async () => {
    await endure(server.url, { begin: () => postgres.halt(), end: () => postgres.resume() })
  })

  it('is locked', async () => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await endure(server.url, {
      begin: async () => {
        await client.query('begin')
        await client.query('lock table auth.users, auth.sessions in access exclusive mode')
      },
      end: () => client.query('commit'),
      restoredMs: 2_500,
      isReported: false,
    })
    await client.end()
  })

  it('is read-only', async () => {
    const set = async (value: string) => {
      await sql(`alter system set default_transaction_read_only = ${value}`)
      await sql('select pg_reload_conf()')
    }
    await endure(server.url, { begin: () => set('on'), end: () => set('off') })
  })

  it('has no connection left', async () => {
    const taken: pg.Client[] = []
    await endure(server.url, {
      begin: async () => {
        await sql(`alter role service connection limit 1`)
        await sql(
          `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service'`,
        )
        const url = Object.assign(new URL(postgres.url), {
          username: 'service',
          password: 'secret',
        })
        for (const deadline = Date.now() + 5_000; taken.length === 0 && Date.now() < deadline; ) {
          const client = new pg.Client({ connectionString: url.href })
          client.on('error', () => {})
          await client.connect().then(
            () => taken.push(client),
            () => {},
          )
        }
        await sql(
          `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service' and application_name <> ''`,
        )
      },
      end: async () => {
        await sql(`alter role service connection limit -1`)
        await Promise.all(taken.map((client) => client.end()))
      },
      isReported: false,
    })
  })

  it('is running and does not respond', async () => {
    const { signal } = postgres
    await endure(server.url, { begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') })
  })
})

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0
if (!canMount) console.warn('NOT RUN: a full disk, which needs the right to mount a file system')

describe.runIf(canMount)('a disk', () => {
  it('that is full, while statements and new connections fail', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', folder])
    chmodSync(folder, 0o755)
    const { TMPDIR } = process.env
    process.env['TMPDIR'] = folder
    const postgres = await startPostgres({ synchronous_commit: 'on', autovacuum: 'on' }).finally(
      () => {
        if (TMPDIR === undefined) delete process.env['TMPDIR']
        else process.env['TMPDIR'] = TMPDIR
      },
    )
    const server = await startServer(postgres.url, environment)
    const filler = join(folder, 'filler')
    const { faulty } = await endure(server.url, {
      begin: async () => {
        spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'])
        // Tables grow by pages, of which some have space.
        await runSql(
          postgres.url,
          'create table grows as select repeat(md5(n::text), 50) from generate_series(1, 100000) n',
        ).catch(() => {})
        await runSql(
          postgres.url,
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'latchkey'`,
        ).catch(() => {})
      },
      end: () => rmSync(filler),
      isReported: false,
    })
    expect(faulty.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['refresh', 'sign-up']))
    expect((await server.stop()).code).toBe(0)
    await postgres.stop()
    // A process that ends may still use it.
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
})

describe('a connection', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.stop())

  it('that is cut and rejected', async () => {
    const proxy = await startWireProxy(postgres.url)
    const server = await startServer(proxy.url, environment)
    await endure(server.url, {
      begin: () => {
        proxy.refuse()
        proxy.cut()
      },
      end: () => proxy.allow(),
    })
    expect((await server.stop()).code).toBe(0)
    await proxy.close()
  })

  it('that stays silent for ever, as after a failover of the network', async () => {
    const proxy = await startWireProxy(postgres.url)
    const server = await startServer(proxy.url, environment)
    await endure(server.url, {
      begin: () => {
        proxy.ignore()
        proxy.freeze()
      },
      end: () => proxy.allow(),
    })
    expect((await server.stop()).code).toBe(0)
    await proxy.close()
  })

  const errors = [
    ['restoring', 'ERROR', '55000', 'recovery is in progress'],
    ['starting', 'FATAL', '57P03', 'the database system is starting up'],
    ['full', 'ERROR', '53100', 'could not extend file: No space left on device'],
    ['full for new connections', 'FATAL', 'XX000', 'could not write init file'],
    ['failing', 'ERROR', '58030', 'could not read block'],
    ['shutting down', 'FATAL', '57P01', 'terminating connection due to administrator command'],
  ] as const
  it.each(errors)('to a server that is %s: %s %s', async (_, severity, code, message) => {
    const error = { severity, code, message }
    const proxy = await startErrorPooler(postgres.url)
    const server = await startServer(proxy.url, environment)
    const { faulty } = await endure(server.url, {
      begin: () => proxy.fail({ statements: error, connections: { ...error, severity: 'FATAL' } }),
      end: () => proxy.fail({}),
    })
    // On a slow machine some requests exceed their time limit: 504, as `endure` allows.
    expect(faulty.map(({ status }) => status)).toContain(503)
    expect((await server.stop()).code).toBe(0)
    await proxy.close()
  })

  it('to a server that is restoring when serve starts: it waits', async () => {
    const proxy = await startErrorPooler(postgres.url)
    const starting = { severity: 'FATAL', code: '57P03', message: 'starting up' } as const
    proxy.fail({ connections: starting })
    const started = startServer(proxy.url, environment)
    // The first attempt is not the last.
    await expect.poll(() => proxy.refused(), { timeout: 60_000 }).toBeGreaterThan(1)
    proxy.fail({})
    const server = await started

    expect((await timedGet(`${server.url}/ready`)).status).toBe(200)
    expect(server.log()).toContainEqual(
      expect.objectContaining({ msg: expect.stringMatching(/waits/) }),
    )
    expect((await server.stop()).code).toBe(0)
    await proxy.close()
  })
})
