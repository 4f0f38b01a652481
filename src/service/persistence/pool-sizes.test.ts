import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { DatabaseConfig } from '../../platform/config/sections/database.ts'

let auth: TestAuth
afterEach(() => auth.close())

/**
 * Returns the connections that are open after this number of concurrent requests: process ids of
 * the server.
 */
async function connectionsAfter(requests: number, database: DatabaseConfig): Promise<number[]> {
  auth = await startTestAuth({ database })
  const { accessToken } = await auth.given.session()
  await Promise.all(
    Array.from({ length: requests }, () => auth.get('/user', { token: accessToken })),
  )
  return connections()
}

async function connections(): Promise<number[]> {
  const rows = await runSql(
    auth.databaseUrl,
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'latchkey' order by pid`,
  )
  return rows.map(({ pid }) => Number(pid))
}

describe('the kept connections', () => {
  it('are all that were needed, by default', async () => {
    expect((await connectionsAfter(40, { maxPoolSize: 8 })).length).toBeGreaterThan(2)
  })

  it('are as many as configured', async () => {
    await connectionsAfter(40, { maxPoolSize: 8, maxIdlePoolSize: 2 })

    await waitFor(async () => expect(await connections()).toHaveLength(2))
  })

  it('end after the configured idle time', async () => {
    expect(await connectionsAfter(8, { connectionMaxIdleSeconds: 1 })).not.toEqual([])

    await waitFor(async () => expect(await connections()).toEqual([]))
  })

  it('are replaced at the configured age, also while in use', async () => {
    const [first] = await connectionsAfter(1, { maxPoolSize: 1, connectionMaxLifetimeSeconds: 0.3 })
    const { accessToken } = await auth.given.session()
    const until = performance.now() + 600
    while (performance.now() < until) {
      expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
      await sleep(20)
    }

    await waitFor(async () => expect(await connections()).not.toContain(first))
  })
})
