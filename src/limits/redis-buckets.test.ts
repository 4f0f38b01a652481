import { afterEach, expect, it, vi } from 'vitest'
import { createTestClock } from '../../test/support/test-clock.ts'
import { RedisPackageMissingError } from '../platform/errors/start-errors.ts'
import { silentLogger } from '../platform/observability/logger.ts'
import { openLimitStore } from './open-limit-store.ts'
import { probeRedis, takeInRedis } from './redis-buckets.ts'

afterEach(() => {
  vi.doUnmock('redis')
})

it('does not open the store where the package of Redis is missing', async () => {
  vi.doMock('redis', () => {
    throw new Error('Cannot find package')
  })
  const clock = createTestClock()
  const sql = { table: () => '', query: async () => [] }
  const needs = { sql, clock, storeClock: null, logger: silentLogger, telemetry: null }
  const settings = { store: 'redis', redisUrl: 'redis://127.0.0.1:1', redis: null } as const

  const opening = openLimitStore(settings, needs)

  await expect(opening).rejects.toBeInstanceOf(RedisPackageMissingError)
  await expect(opening).rejects.toThrow('npm install redis')
})

const counted = [{ key: 'a key of sixteen characters', limit: { burst: 1, refillPerSecond: 1 } }]
const linkWith = (reply: unknown) => ({ evaluate: async () => reply, close: () => {} })

it.each([['OK'], [null], [''], ['abc'], [-5], [Number.NaN], [true], [[0]], ['Infinity']])(
  'a reply of %s is a fault, and lifts no limit',
  async (reply) => {
    const link = linkWith(reply)
    await expect(takeInRedis(link, counted, null)).rejects.toThrow('Redis replied to EVAL')
    await expect(probeRedis(link, null)).rejects.toThrow('Redis replied to EVAL')
  },
)

it.each([
  [0, null],
  ['0', null],
  [7, 7],
  ['7', 7],
  [7n, 7],
])('a reply of %s is read as the seconds to wait', async (reply, seconds) => {
  expect(await takeInRedis(linkWith(reply), counted, null)).toBe(seconds)
})
