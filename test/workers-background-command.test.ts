import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { startServer } from './support/server-process.ts'
import { startWireProxy } from './support/wire-proxy.ts'

/** Returns the number of statements of an idle server in 24 seconds. */
async function statementsWhileIdle(args: readonly string[]): Promise<string[]> {
  const database = await createTestDatabase()
  const proxy = await startWireProxy(database.url)
  // Keys in the database are the task with the shortest interval.
  const settings = { AUTH_JWT_SECRET: '', AUTH_ENCRYPTION_KEY: 'k'.repeat(32) }
  const server = await startServer(proxy.url, settings, args)
  // The tasks of the start, which take longer on a busy machine.
  await sleep(8_000)
  proxy.reset()
  await sleep(24_000)
  const statements = proxy.statements().map(({ name, text }) => name ?? text)
  await server.stop()
  await proxy.close()
  await database.drop()
  return statements
}

it('two idle workers send about as many statements as one process', async () => {
  const [one = [], two = []] = await Promise.all([
    statementsWhileIdle(['serve']),
    statementsWhileIdle(['serve', '--workers', '2']),
  ])

  expect(one.length).toBeGreaterThan(0)
  expect(two.length, two.join('\n')).toBeLessThanOrEqual(1.3 * one.length + 1.5)
})
