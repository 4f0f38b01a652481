import { expect, it } from 'vitest'
import type { ScopedClient } from '../../platform/kit/client-scope.ts'
import { createClientScope } from '../../platform/kit/client-scope.ts'
import { createDatabaseHookSemaphore } from './database-hook-semaphore.ts'

const poolSize = 10

const settled = () => new Promise(setImmediate)

/** Calls that last until the test ends them, in the order of their begin. */
function openCalls() {
  const scope = createClientScope()
  const inTurn = createDatabaseHookSemaphore(poolSize, scope)
  const running: { client: string; end: () => void }[] = []
  const begin = (client: string, traits: Partial<ScopedClient> = {}) =>
    scope.run({ clientKey: () => client, ...traits }, () =>
      inTurn(() => new Promise<void>((end) => void running.push({ client, end }))),
    )
  return { running, begin }
}

it('leave half of the connections to other requests', async () => {
  const { running, begin } = openCalls()

  const calls = Array.from({ length: 60 }, () => begin('203.0.113.7'))
  await settled()
  const atOnce = running.length
  for (let ended = 0; ended < calls.length; ended += 1) {
    running[ended]?.end()
    await settled()
  }

  expect(atOnce).toBe(poolSize / 2)
  await expect(Promise.all(calls)).resolves.toHaveLength(60)
})

it('are divided among networks', async () => {
  const { running, begin } = openCalls()
  for (let sent = 0; sent < 60; sent += 1) begin('203.0.113.7')
  begin('198.51.100.9')
  await settled()

  running[0]?.end()
  await settled()
  running[1]?.end()
  await settled()

  expect(running.map(({ client }) => client)).toContain('198.51.100.9')
})

it('do not begin for a request that has received its response', async () => {
  const { running, begin } = openCalls()
  for (let sent = 0; sent < poolSize / 2; sent += 1) begin('203.0.113.7')
  let isOver = false
  const late = begin('203.0.113.7', { isOver: () => isOver })
  isOver = true

  running[0]?.end()

  await expect(late).rejects.toMatchObject({ status: 504 })
})
