import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Account, findPostgres, giveTo, type PostgresBinaries } from './postgres-binaries.ts'
import { runSql } from './sql.ts'

/** A server that runs until `stop`, which deletes all its files. */
export interface PostgresServer {
  /** The maintenance database, as superuser. */
  url: string
  stop(): Promise<void>
  /** Ends the server at once, as a crash does, and keeps its files. */
  halt(): Promise<void>
  /** Starts a halted server on the same port, and returns without waiting until it is ready. */
  resume(overrides?: Record<string, string>): Promise<void>
  /** Sends a signal to all its processes. */
  signal(name: NodeJS.Signals): void
  /** Starts a streaming replica of this server, which needs `wal_level=replica`. */
  startReplica(overrides?: Record<string, string>): Promise<PostgresServer>
}

/** The data is temporary, so no setting waits for the disk. */
const defaults: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '800',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/**
 * Starts PostgreSQL on a free port of 127.0.0.1 with its own data folder: in memory if there is
 * space, below the system's temporary folder if `fsync` is on, or in TMPDIR if it is set.
 *
 * @param overrides settings of PostgreSQL, in place of ours or beside them.
 * @throws Error with PostgreSQL's message when it does not start.
 */
export async function startPostgres(
  overrides: Record<string, string> = {},
  attempts = 3,
): Promise<PostgresServer> {
  const account = unprivilegedAccount()
  const settings = { ...defaults, ...overrides }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'))
  const memory = settings['fsync'] === 'off' ? memoryFolder() : null
  const data = memory ?? join(folder, 'data')
  try {
    if (account) for (const one of [folder, memory]) if (one) giveTo(account, one)
    const binaries = findPostgres(account, folder)
    const port = await freePort()
    const home = { account, folder, data, port, password: randomBytes(16).toString('hex') }
    initialise(binaries, home)
    return await start(binaries, home, settings)
  } catch (cause) {
    for (const one of [folder, data]) rmSync(one, { recursive: true, force: true })
    const words = cause instanceof Error ? cause.message : String(cause)
    // Another process may take the port before PostgreSQL opens it.
    if (attempts > 1 && words.includes('Address already in use')) {
      return startPostgres(overrides, attempts - 1)
    }
    const advice = 'PostgreSQL does not start here; TEST_DATABASE_URL may name one that runs'
    throw new Error(`${advice}\n${words}`, { cause })
  }
}

const roomNeededBytes = 4 * 2 ** 30
/** The type of such a file system in `statfs` on Linux. */
const tmpfs = 0x0102_1994

/**
 * Creates a folder in memory. Each test creates a database of hundreds of files, which takes some
 * disks half a second.
 */
function memoryFolder(): string | null {
  const folder = '/dev/shm'
  if (process.env['TMPDIR'] || process.availableMemory() < 2 * roomNeededBytes) return null
  try {
    const { type, bavail, bsize } = statfsSync(folder)
    const isFit = type === tmpfs && bavail * bsize >= roomNeededBytes
    return isFit ? mkdtempSync(join(folder, 'latchkey-postgres-')) : null
  } catch {
    return null
  }
}

interface Home {
  account: Account
  folder: string
  /** The folder of the databases: below the folder, or elsewhere. */
  data: string
  /**
   * A password, since any account of this machine can reach the port, and a superuser can start
   * programs.
   */
  password: string
  port: number
}

/** Returns the account `nobody` for root, since PostgreSQL rejects root. */
function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, 'nobody']).stdout.toString())
  return { uid: Number(uid), gid: Number(gid) }
}

function initialise({ initdb }: PostgresBinaries, { account, folder, data, password }: Home): void {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) giveTo(account, passwordFile)
  const run = spawnSync(
    initdb,
    [
      '--pgdata',
      data,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=password',
      '--locale=C',
      '--encoding=UTF8',
      '--no-sync',
      '--no-instructions',
    ],
    { cwd: folder, env: { ...process.env, TZ: 'UTC' }, ...account },
  )
  if (run.status !== 0) throw run.error ?? new Error(run.stderr.toString())
}

/**
 * Stops the server and deletes its folders when the other end of descriptor 3 closes. That happens
 * at any end of the test process, so a killed run leaves nothing running.
 */
const lifeline = `
  data="$1"
  shift
  {
    cat <&3
    kill -QUIT $$
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $$ && sleep 0.1; done
    [ -e "$0/halted-$$" ] || rm -rf "$0" "$data"
  } 2>/dev/null &
  exec "$@" 3<&-`

async function start(
  binaries: PostgresBinaries,
  home: Home,
  settings: Record<string, string>,
): Promise<PostgresServer> {
  const { folder, port, password } = home
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  /** Keeps the files when this process ends. */
  const mark = () => join(folder, `halted-${running.server.pid}`)
  let running = await launch(binaries, home, settings)
  const stop = async () => {
    rmSync(mark(), { force: true })
    running.server.stdio[3]?.destroy()
    await running.ended
    for (const one of [folder, home.data]) rmSync(one, { recursive: true, force: true })
  }
  if (!(await answers(running.server, url))) {
    await stop()
    throw new Error(running.log())
  }
  return {
    url,
    stop,
    halt: async () => {
      writeFileSync(mark(), '')
      running.server.kill('SIGQUIT')
      await running.ended
      running.server.stdio[3]?.destroy()
    },
    resume: async (overrides = {}) => {
      running = await launch(binaries, home, { ...settings, ...overrides })
    },
    signal: (name) => {
      const { pid } = running.server
      const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)]).stdout.toString()
      for (const one of [pid, ...children.split('\n').map(Number)]) if (one) process.kill(one, name)
    },
    startReplica: (overrides = {}) =>
      startReplicaOf(url, { binaries, home, settings: { ...settings, ...overrides } }),
  }
}

interface Launched {
  server: ChildProcess
  ended: Promise<unknown>
  log(): string
}

async function launch(
  { postgres }: PostgresBinaries,
  home: Home,
  settings: Record<string, string>,
): Promise<Launched> {
  const log = join(home.folder, 'log')
  const output = openSync(log, 'w')
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [postgres, '-D', home.data, '-p', `${home.port}`, ...flags]
  const server = spawn('/bin/sh', ['-c', lifeline, home.folder, home.data, ...command], {
    cwd: home.folder,
    stdio: ['ignore', output, output, 'pipe'],
    // Ctrl-C reaches the whole process group; the tests must end before their database.
    detached: true,
    ...home.account,
  })
  closeSync(output)
  await once(server, 'spawn')
  return { server, ended: once(server, 'exit'), log: () => readFileSync(log, 'utf8') }
}

/**
 * Copies the files of a running server by its backup functions: npm's PostgreSQL has no
 * `pg_basebackup`.
 */
async function startReplicaOf(
  url: string,
  {
    binaries,
    home,
    settings,
  }: { binaries: PostgresBinaries; home: Home; settings: Record<string, string> },
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'))
  const data = join(folder, 'data')
  const copy = { ...home, folder, data, port: await freePort() }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('replica', true)`)
    cpSync(home.data, data, {
      recursive: true,
      filter: (path) => !/\/(postmaster\.(pid|opts)|pg_replslot\/.+)$/.test(path),
    })
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    writeFileSync(join(data, 'backup_label'), rows[0].labelfile)
    writeFileSync(join(data, 'standby.signal'), '')
    chmodSync(data, 0o700)
    if (home.account) giveTo(home.account, folder)
  } finally {
    await client.end()
  }
  const primary_conninfo = `host=127.0.0.1 port=${home.port} user=postgres password=${home.password}`
  return start(binaries, copy, { ...settings, primary_conninfo, hot_standby: 'on' })
}

/** Returns whether the server accepts a connection within half a minute. */
async function answers(server: ChildProcess, url: string): Promise<boolean> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
    if (server.exitCode !== null) return false
    const ready = await runSql(url, 'select 1').catch(() => null)
    if (ready) return true
  }
  return false
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
