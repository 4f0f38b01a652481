import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliProcess, spawnCli } from './support/cli-process.ts'
import { loadEnvironment } from './support/fault-load.ts'
import { createDice } from './support/fuzz/dice.ts'
import { startRetryingLoad } from './support/retrying-load.ts'
import { requireMessagesSent } from './support/sent-messages.ts'
import { environmentFor, freePort } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'
import { type PostgresServer, startPostgres } from './support/start-postgres.ts'
import { isRunning, workersOf } from './support/worker-processes.ts'

// A process of the service, of PostgreSQL, or a connection is killed at random moments under load.
// `KILLS` is their number, and `KILLS_SEED` repeats the victims and the pauses of a run.

const kills = Number(process.env['KILLS'] ?? 20)
const seed = Number(process.env['KILLS_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
console.log(`${kills} kills: KILLS_SEED=${seed} repeats this run`)
if (kills < 1_000) console.warn(`NOT RUN: 1,000 random kills (KILLS=1000), only ${kills}`)

/** `latchkey serve` that is started again whenever it ends. */
interface Supervised {
  url: string
  running(): CliProcess
  stop(): Promise<void>
}

let postgres: PostgresServer
let smtp: SmtpTestServer
const services: Supervised[] = []

beforeAll(async () => {
  postgres = await startPostgres({ synchronous_commit: 'on', full_page_writes: 'on' })
  smtp = await startSmtpServer()
  services.push(await supervise(['serve']), await supervise(['serve', '--workers', '2']))
})
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await smtp?.close()
  await postgres?.stop()
})

async function supervise(args: string[]): Promise<Supervised> {
  const port = await freePort()
  const environment = environmentFor(postgres.url, {
    ...loadEnvironment,
    AUTH_API_PORT: String(port),
    AUTH_DB_MAX_POOL_SIZE: '8',
    AUTH_SMTP_HOST: '127.0.0.1',
    AUTH_SMTP_PORT: String(smtp.port),
    AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
    AUTH_SMTP_MAX_FREQUENCY: '0s',
    AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
  })
  let isOver = false
  let running = spawnCli(args, environment)
  const restarting = (async () => {
    for (;;) {
      await running.ended
      if (isOver) return
      // The port is released by workers whose first process was killed.
      await sleep(100)
      running = spawnCli(args, environment)
    }
  })()
  return {
    url: `http://127.0.0.1:${port}`,
    running: () => running,
    stop: async () => {
      isOver = true
      await running.stop()
      await restarting
    },
  }
}

/** The processes of PostgreSQL that serve a client. */
const backends = () =>
  runSql(
    postgres.url,
    `select pid from pg_stat_activity where backend_type = 'client backend'
       and pid <> pg_backend_pid() order by pid`,
  )

type Below = (limit: number) => number

/** Kills a process. Returns whether it was running. */
function kill(pid: number | undefined): boolean {
  return pid !== undefined && isRunning(pid) && process.kill(pid, 'SIGKILL')
}

/** Each kills one victim, and returns whether there was one. */
const victims = {
  service: async () => kill(services[0]?.running().pid),
  'first process': async () => kill(services[1]?.running().pid),
  worker: async (below: Below) => {
    const workers = services[1] ? workersOf(services[1].running()) : []
    return kill(workers[below(workers.length || 1)])
  },
  connection: async (below: Below) => {
    const found = await backends()
    const pid = found[below(found.length || 1)]?.['pid']
    const text = 'select pg_terminate_backend($1) as ended'
    const [row] = await runSql(postgres.url, { text, values: [pid] })
    return row?.['ended'] === true
  },
  // All processes of PostgreSQL end then, and the first one starts the recovery.
  'process of PostgreSQL': async (below: Below) => {
    const found = await backends()
    return kill(found[below(found.length || 1)]?.['pid'] as number | undefined)
  },
  PostgreSQL: async () => {
    await postgres.halt()
    await postgres.resume()
    return true
  },
}
type Victim = keyof typeof victims

/** The services that have recovered before each kill. */
const affected: Record<Victim, number[]> = {
  service: [0],
  'first process': [1],
  worker: [1],
  connection: [0, 1],
  'process of PostgreSQL': [0, 1],
  PostgreSQL: [0, 1],
}

/** How many of the kills, in 16, have each victim. */
const weights: Record<Victim, number> = {
  service: 4,
  'first process': 1,
  worker: 4,
  connection: 4,
  'process of PostgreSQL': 2,
  PostgreSQL: 1,
}
const drawn = (Object.keys(weights) as Victim[]).flatMap((one) =>
  Array<Victim>(weights[one]).fill(one),
)

const clients = { refresh: 3, signUp: 1, change: 1, recover: 1 }

describe(`${kills} kills at random moments`, () => {
  let loads: Awaited<ReturnType<typeof startRetryingLoad>>[]
  const results: Awaited<ReturnType<(typeof loads)[number]['end']>>[] = []

  it('end no session, and no response is other than a success, 503 or 504', async () => {
    const options = { clients, pauseMs: 50, mayLoseResponse: true }
    loads = await Promise.all(services.map(({ url }) => startRetryingLoad(url, options)))
    const counts: Partial<Record<Victim, number>> = {}
    for (let [done, number] = [0, 0]; done < kills; number += 1) {
      const dice = createDice(seed, `kill ${number}`)
      const victim = dice.pick(drawn)
      const killed = loads.filter((_, index) => affected[victim].includes(index))
      // Every fourth one interrupts the recovery from the one before.
      if (!dice.chance(25)) await Promise.all(killed.map((load) => load.recovered(30_000)))
      await sleep(dice.below(150))
      // While PostgreSQL starts, it has no connection to end. Such an attempt is no kill.
      if (!(await victims[victim](dice.below).catch(() => false))) continue
      done += 1
      counts[victim] = (counts[victim] ?? 0) + 1
    }
    await Promise.all(loads.map((load) => load.recovered(30_000)))
    for (const load of loads) results.push(await load.end())

    console.log(counts, ...results.map(({ statuses }) => statuses))
    expect(results.flatMap(({ problems }) => problems)).toEqual([])
  }, 3_600_000)

  it('lose no acknowledged user, with its identity and audit entry', async () => {
    const emails = results.flatMap((result) => result.emails)
    const stored = await runSql(
      postgres.url,
      `select u.email from auth.users u where exists (
         select from auth.identities where user_id = u.id) and exists (
         select from auth.audit_entries where actor_id = u.id)`,
    )
    const known = new Set(stored.map(({ email }) => email))
    const [left] = await runSql(
      postgres.url,
      `select (select count(*)::int from auth.users) as users, (
         select count(*)::int from auth.sessions s where not exists (
           select from auth.users where id = s.user_id)) as "sessions without a user"`,
    )

    expect(emails.length).toBeGreaterThan(kills / 4)
    expect(emails.filter((email) => !known.has(email))).toEqual([])
    expect(left).toEqual({ users: known.size, 'sessions without a user': 0 })
  })

  it('lose no message, and send none more often than it was claimed', async () => {
    const recipients = results.flatMap(({ recoveries }) => recoveries)
    expect(new Set(recipients).size).toBeGreaterThan(1)
    await requireMessagesSent(postgres.url, smtp.mails, recipients)
  }, 180_000)
})
