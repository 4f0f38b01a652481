import { afterEach, expect, it, vi } from 'vitest'
import { createTestClock } from '../../test/support/test-clock.ts'
import { RedisPackageMissingError } from '../platform/errors/start-errors.ts'
import { silentLogger } from '../platform/observability/logger.ts'
import { openLimitStore } from './open-limit-store.ts'

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
