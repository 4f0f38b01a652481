import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startSupervised } from './cluster/supervised.ts'
import { freePort } from './server-process.ts'

/** `PGBOUNCER` names another program than that on the PATH. */
const program = process.env['PGBOUNCER'] ?? 'pgbouncer'
const version = /PgBouncer (\d+)\.(\d+)/.exec(
  spawnSync(program, ['--version']).stdout?.toString() ?? '',
)

/** True where the program is installed. */
export const hasPgBouncer = version !== null
/** The installed version; null where the program is missing. */
export const pgBouncerVersion = version && `${version[1]}.${version[2]}`
/** Whether it keeps prepared statements in transaction mode: since 1.21. */
export const keepsStatements =
  version !== null && Number(version[1]) * 1000 + Number(version[2]) >= 1021

export interface PgBouncer {
  /** The URL of the database through the pooler. */
  url: string
  /** Kills it, and keeps its port. */
  halt(): Promise<void>
  /** Starts it again after `halt`. */
  resume(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts PgBouncer in transaction mode in front of a database.
 *
 * @param poolSize the number of connections to the server. Default: 1.
 */
export async function startPgBouncer(databaseUrl: string, poolSize = 1): Promise<PgBouncer> {
  const server = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pgbouncer-'))
  const port = await freePort()
  const password = decodeURIComponent(server.password)
  const user = decodeURIComponent(server.username)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${user} password='${password}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
${keepsStatements ? 'max_prepared_statements = 200' : ''}
ignore_startup_parameters = extra_float_digits
`,
  )
  // PgBouncer refuses to run as root, and reads the file as the other user.
  chmodSync(folder, 0o755)
  const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const launch = async () => {
    const child = await startSupervised([program, ...asRoot, join(folder, 'pgbouncer.ini')], {
      account: null,
      cwd: folder,
      log: join(folder, 'log'),
    })
    await whenReady(url.href)
    return child
  }
  let running = await launch()
  const halt = async () => {
    running.kill('SIGKILL')
    await running.ended
  }
  return {
    url: url.href,
    halt,
    resume: async () => {
      running = await launch()
    },
    stop: async () => {
      await halt()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Waits without vitest, since the pooler of `TEST_POOLER` starts before its tests. */
async function whenReady(url: string): Promise<void> {
  for (const until = Date.now() + 15_000; ; await sleep(50)) {
    try {
      return await ping(url)
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

async function ping(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
  } finally {
    await client.end().catch(() => {})
  }
}
