import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { clusterProblem, startPatroniCluster } from '../../test/support/cluster/patroni-cluster.ts'

/** A cluster whose primary is killed on request, and replaced by a standby. */
export interface FailingCluster {
  databaseUrl: string
  /** A request to it kills PostgreSQL of the primary, unless a failover continues. */
  killUrl: string
  /** Returns the number of failovers. */
  failovers(): number
  /** Waits until the last failover has ended. */
  whenSafe(): Promise<void>
  stop(): Promise<void>
}

/** @throws Error where a cluster cannot be started, so that no run proves nothing. */
export async function startFailingCluster(): Promise<FailingCluster> {
  if (clusterProblem) throw new Error(`TEST_CLUSTER: ${clusterProblem}`)
  const cluster = await startPatroniCluster()
  let failovers = 0
  let running: Promise<void> | null = null
  const failOver = async () => {
    const primary = await cluster.primary()
    if (!primary) return
    const pid = cluster.postgresPid(primary)
    cluster.killPostgres(primary)
    // Without a synchronous standby, Patroni starts the killed primary again.
    const isReplaced = async () => {
      const next = await cluster.primary()
      return next !== null && (next !== primary || cluster.postgresPid(next) !== pid)
    }
    while (!(await isReplaced())) await sleep(200)
    failovers += 1
    console.log(`failover ${failovers}: ${primary} ended, ${await cluster.primary()} serves`)
    await cluster.whenSafe()
  }
  const server = createServer((_, response) => {
    running ??= failOver().finally(() => {
      running = null
    })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    databaseUrl: cluster.url,
    killUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failovers: () => failovers,
    whenSafe: async () => void (await running),
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await running
      await cluster.stop()
    },
  }
}
