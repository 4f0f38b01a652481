import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBareClient } from './support/cluster/bare-client.ts'
import {
  clusterProblem,
  type PatroniCluster,
  startPatroniCluster,
} from './support/cluster/patroni-cluster.ts'
import { loadEnvironment } from './support/fault-load.ts'
import { startRetryingLoad } from './support/retrying-load.ts'
import { requireMessagesSent } from './support/sent-messages.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { type SmtpTestServer, startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'

if (clusterProblem) console.warn(`NOT RUN: failover of a cluster. ${clusterProblem}`)

/** `CLUSTER=all` also ends whole nodes, after which Patroni waits for 20 seconds. */
const isLong = process.env['CLUSTER'] === 'all'
if (!clusterProblem && !isLong) console.warn('NOT RUN: the end of whole nodes (CLUSTER=all)')

/** The time by which the service may be later than a bare client. */
const promisedMs = 2_000
/** A pause of a client that only a failover causes. */
const noticeableMs = 500
const clients = { refresh: 8, signUp: 2, change: 1, recover: 2 }

describe.skipIf(clusterProblem !== null)('a cluster of three nodes', { timeout: 240_000 }, () => {
  let cluster: PatroniCluster
  let smtp: SmtpTestServer
  let server: ServerProcess
  /** The recipients of acknowledged messages of all tests. */
  const recipients: string[] = []
  beforeAll(async () => {
    cluster = await startPatroniCluster()
    smtp = await startSmtpServer()
    server = await startServer(cluster.url, {
      ...loadEnvironment,
      AUTH_SMTP_HOST: '127.0.0.1',
      AUTH_SMTP_PORT: String(smtp.port),
      AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
      AUTH_SMTP_MAX_FREQUENCY: '0s',
      AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
      AUTH_API_MAX_REQUEST_DURATION: '3s',
    })
  }, 240_000)
  afterAll(async () => {
    const ending = await server?.stop()
    await smtp?.close()
    await cluster?.stop()
    if (server) expect(ending?.code).toBe(0)
  })

  /** Ends the primary under load, and verifies the promises. */
  async function failOver(end: (primary: string) => void): Promise<void> {
    await cluster.whenSafe()
    const primary = (await cluster.primary()) ?? ''
    const bare = await startBareClient(cluster.url, 20)
    const load = await startRetryingLoad(server.url, { clients })
    await sleep(2_000)
    end(primary)
    await sleep(1_000)
    await cluster.whenSafe()
    await load.recovered(10_000)
    const rows = await bare.end()
    const { problems, statuses, longestRefreshGapMs, emails, recoveries } = await load.end()
    recipients.push(...recoveries)
    console.log(
      `${primary} ended: bare client ${Math.round(bare.longestGapMs())} ms, refresh ${Math.round(longestRefreshGapMs)} ms`,
      statuses,
    )

    expect(problems).toEqual([])
    // While the failover takes less than a request may wait, all requests succeed.
    expect(bare.longestGapMs()).toBeGreaterThan(noticeableMs)
    expect(longestRefreshGapMs).toBeLessThan(bare.longestGapMs() + promisedMs)
    expect(await cluster.primary()).not.toBe(primary)
    await requireStored(rows, emails)
    await requireMessagesSent(cluster.url, smtp.mails, recipients)
  }

  async function requireStored(rows: number[], emails: string[]): Promise<void> {
    const stored = (await runSql(cluster.url, 'select n from bare_rows')).map(({ n }) => n)
    const users = await runSql(
      cluster.url,
      `select u.email from auth.users u where exists (
         select from auth.identities where user_id = u.id) and exists (
         select from auth.audit_entries where actor_id = u.id)`,
    )
    const known = new Set([...stored, ...users.map(({ email }) => email)])

    expect(rows.length).toBeGreaterThan(10)
    expect(emails.length).toBeGreaterThan(10)
    expect([...rows, ...emails].filter((one) => !known.has(one))).toEqual([])
    await runSql(cluster.url, 'drop table bare_rows')
  }

  it('loses no acknowledged write, message or session when PostgreSQL of the primary ends', async () => {
    await failOver(cluster.killPostgres)
  })

  it.runIf(isLong).each([1, 2])('nor when the whole node ends (%i)', async () => {
    let ended = ''
    await failOver((primary) => {
      ended = primary
      cluster.killNode(primary)
    })
    await cluster.startNode(ended)
  })
})
