import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { startServer } from './support/server-process.ts'
import { startWireProxy } from './support/wire-proxy.ts'

/** Returns the number of statements of an idle server in 24 seconds. */
async function statementsWhileIdle(args: readonly string[]): Promise<number> {
  const database = await createTestDatabase()
  const proxy = await startWireProxy(database.url)
  // Keys in the database are the task with the shortest interval.
  const settings = { AUTH_JWT_SECRET: '', AUTH_ENCRYPTION_KEY: 'k'.repeat(32) }
  const server = await startServer(proxy.url, settings, args)
  // The tasks of the start.
  await sleep(3_000)
  proxy.reset()
  await sleep(24_000)
  const { statements } = proxy.counts()
  await server.stop()
  await proxy.close()
  await database.drop()
  return statements
}

it('two idle workers send about as many statements as one process', async () => {
  const [one = 0, two = 0] = await Promise.all([
    statementsWhileIdle(['serve']),
    statementsWhileIdle(['serve', '--workers', '2']),
  ])

  expect(one).toBeGreaterThan(0)
  expect(two).toBeLessThanOrEqual(1.3 * one + 1.5)
})
