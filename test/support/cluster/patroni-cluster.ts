import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveTo } from '../postgres-binaries.ts'
import { freePort } from '../server-process.ts'
import { runSql } from '../sql.ts'
import { type Supervised, startSupervised } from './supervised.ts'

/** The packages of Debian whose programs a cluster needs. */
const packages = 'patroni etcd-server haproxy postgresql'

const debianPostgres = '/usr/lib/postgresql'
const postgresFolder = existsSync(debianPostgres)
  ? readdirSync(debianPostgres)
      .toSorted((one, other) => Number(other) - Number(one))
      .map((version) => join(debianPostgres, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined
const runs = (program: string, flag: string) => spawnSync(program, [flag]).status === 0

/** Null where a cluster can be started; otherwise the reason. */
export const clusterProblem: string | null =
  postgresFolder &&
  runs('patroni', '--version') &&
  runs('etcd', '--version') &&
  runs('haproxy', '-v')
    ? null
    : `a cluster needs the programs of Debian's packages: apt-get install ${packages}`

/** Three nodes of PostgreSQL with Patroni in synchronous mode, etcd, and HAProxy in front. */
export interface PatroniCluster {
  /** The URL that leads to the primary. */
  url: string
  /** Returns the name of the primary; null while there is none. */
  primary(): Promise<string | null>
  /**
   * Waits until there are a primary and a synchronous standby. Copies the primary to a standby that
   * does not follow it.
   */
  whenSafe(): Promise<void>
  /** Kills PostgreSQL of a node, by kill -9 of its processes. Patroni of the node continues. */
  killPostgres(name: string): void
  /** Returns the process of PostgreSQL of a node, which a restart changes; null before the first. */
  postgresPid(name: string): number | null
  /** Kills Patroni and PostgreSQL of a node, as the end of a machine does. */
  killNode(name: string): void
  /** Starts a killed node again. */
  startNode(name: string): Promise<void>
  stop(): Promise<void>
}

interface Node {
  name: string
  folder: string
  config: string
  postgresPort: number
  restPort: number
  patroni: Supervised | null
}

const password = 'secret'
const names = ['node0', 'node1', 'node2']
/** The time in which a standby follows a new primary. */
const patienceMs = 25_000

/** Starts the cluster in about ten seconds. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cluster-'))
  chmodSync(folder, 0o755)
  const account = unprivileged()
  if (account) giveTo(account, folder)
  const options = (name: string) => ({ account, cwd: folder, log: join(folder, `${name}.log`) })
  const [clientPort, peerPort, proxyPort] = await Promise.all([freePort(), freePort(), freePort()])
  const etcd = await startSupervised(
    [
      'etcd',
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${clientPort}`,
      `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
    ],
    options('etcd'),
  )
  const nodes: Node[] = []
  for (const name of names) {
    const [postgresPort, restPort] = [await freePort(), await freePort()]
    const config = join(folder, `${name}.json`)
    const node = { name, folder, config, postgresPort, restPort, patroni: null }
    writeFileSync(config, JSON.stringify(patroniConfig(node, clientPort)), { mode: 0o644 })
    nodes.push(node)
  }
  const nodeOf = (name: string): Node => {
    const node = nodes.find((one) => one.name === name)
    if (!node) throw new Error(`there is no node ${name}`)
    return node
  }
  const startNode = async (name: string) => {
    const node = nodeOf(name)
    node.patroni = await startSupervised(['patroni', node.config], options(name))
  }
  const proxyConfig = join(folder, 'haproxy.cfg')
  writeFileSync(proxyConfig, haproxyConfig(proxyPort, nodes), { mode: 0o644 })
  const haproxy = await startSupervised(['haproxy', '-db', '-f', proxyConfig], options('haproxy'))
  const url = `postgres://postgres:${password}@127.0.0.1:${proxyPort}/postgres`

  const roleOf = async ({ restPort }: Node): Promise<string | null> => {
    const answer = await fetch(`http://127.0.0.1:${restPort}/patroni`, {
      signal: AbortSignal.timeout(1_000),
    }).catch(() => null)
    const status = (await answer?.json().catch(() => null)) as {
      role?: string
      state?: string
    } | null
    return status?.state === 'running' ? (status.role ?? null) : null
  }
  const primary = async () => {
    for (const node of nodes) if ((await roleOf(node)) === 'master') return node.name
    return null
  }
  const postgresPid = (name: string) => {
    const file = join(folder, `${name}-data`, 'postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null
  }
  const killPostgres = (name: string) => {
    const pid = postgresPid(name)
    if (pid === null) return
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)]).stdout.toString()
    for (const one of [pid, ...children.split('\n').map(Number)]) if (one) kill(one)
  }
  /**
   * A standby that received more than the new primary has another history, until it is copied. Some
   * of these do not even start.
   */
  const reinitialize = async (followers: unknown[]) => {
    for (const node of nodes) {
      if (followers.includes(node.name) || (await roleOf(node)) === 'master') continue
      await fetch(`http://127.0.0.1:${node.restPort}/reinitialize`, {
        method: 'POST',
        body: JSON.stringify({ force: true }),
      }).catch(() => {}) // Its Patroni has ended.
    }
  }
  const whenSafe = async () => {
    let copyAt = Date.now() + patienceMs
    await within(90_000, folder, async () => {
      const sql = 'select application_name, sync_state from pg_stat_replication'
      const followers = await runSql(url, sql)
      if (followers.some(({ sync_state: state }) => state === 'sync')) return true
      if (Date.now() > copyAt) {
        copyAt = Date.now() + patienceMs
        await reinitialize(followers.map(({ application_name: name }) => name))
      }
      return false
    })
  }
  const cluster: PatroniCluster = {
    url,
    primary,
    whenSafe,
    killPostgres,
    postgresPid,
    killNode: (name) => {
      nodeOf(name).patroni?.kill('SIGKILL')
      killPostgres(name)
    },
    startNode,
    stop: async () => {
      for (const { patroni } of nodes) patroni?.kill('SIGKILL')
      for (const name of names) killPostgres(name)
      for (const one of [haproxy, etcd]) one.kill('SIGKILL')
      await Promise.all(
        [haproxy, etcd, ...nodes.map(({ patroni }) => patroni)].map((one) => one?.ended),
      )
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    // The first node creates the cluster, which the others copy.
    for (const name of names) await startNode(name)
    await cluster.whenSafe()
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

function unprivileged() {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, 'nobody']).stdout.toString())
  return { uid: Number(uid), gid: Number(gid) }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

async function within(ms: number, folder: string, isDone: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + ms; Date.now() < until; await sleep(200)) {
    if (await isDone().catch(() => false)) return
  }
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
  const ends = logs.map(
    (name) => `${name}: ${readFileSync(join(folder, name), 'utf8').slice(-2_000)}`,
  )
  throw new Error(`the cluster did not become ready\n${ends.join('\n')}`)
}

/** The shortest times that Patroni accepts. */
const dcs = {
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
  maximum_lag_on_failover: 1_048_576,
  synchronous_mode: true,
  // A primary that ended is not restarted while a standby can replace it.
  primary_start_timeout: 0,
  master_start_timeout: 0,
  postgresql: {
    use_pg_rewind: true,
    parameters: {
      max_connections: 100,
      synchronous_commit: 'on',
      fsync: 'off',
      hot_standby: 'on',
      wal_keep_size: '256MB',
      max_wal_senders: 10,
    },
  },
}

const patroniConfig = ({ name, folder, postgresPort, restPort }: Node, etcdPort: number) => ({
  scope: 'latchkey',
  name,
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: { dcs, initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'] },
  postgresql: {
    listen: `127.0.0.1:${postgresPort}`,
    connect_address: `127.0.0.1:${postgresPort}`,
    data_dir: join(folder, `${name}-data`),
    bin_dir: postgresFolder,
    pgpass: join(folder, `${name}.pgpass`),
    // A node that cannot be rewound is copied again: a spread checkpoint would take most of a minute.
    basebackup: { checkpoint: 'fast' },
    authentication: {
      superuser: { username: 'postgres', password },
      replication: { username: 'replicator', password },
      rewind: { username: 'rewinder', password },
    },
    parameters: { unix_socket_directories: folder },
    pg_hba: [
      'local all all trust',
      'host all all 127.0.0.1/32 md5',
      'host replication all 127.0.0.1/32 md5',
    ],
  },
})

const haproxyConfig = (port: number, nodes: readonly Node[]) => `global
  maxconn 1000
defaults
  mode tcp
  retries 2
  timeout client 30m
  timeout connect 1s
  timeout server 30m
  timeout check 1s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fastinter 200ms downinter 200ms fall 1 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, postgresPort, restPort }) => `  server ${name} 127.0.0.1:${postgresPort} maxconn 100 check port ${restPort}`).join('\n')}
`
