import { describe, expect, it } from 'vitest'
import type { Config } from '../../platform/config/config.ts'
import { checkWorkers } from './check-workers.ts'

const machine = { cores: 4, heapOf: (count: number) => Math.max(96, Math.floor(2048 / count)) }
const check = (workers: number, maxPoolSize = 0, maxConnections = 0) =>
  checkWorkers({ server: { workers, maxConnections } as Config['server'] }, maxPoolSize, machine)

describe('checkWorkers', () => {
  it('reports nothing about a single process', () => {
    expect(check(1)).toEqual([])
  })

  it('reports the number of workers and the resources of each', () => {
    expect(check(4, 10)).toEqual([
      {
        level: 'fine',
        about: 'workers',
        message: '4 on 4 cores; each has a heap of 512 MiB, 2 connections or more',
      },
    ])
  })

  it.each([
    { workers: 8, pool: 0, message: '8 workers share 4 cores' },
    { workers: 64, pool: 0, message: '64 workers have a heap of 96 MiB each' },
    { workers: 4, pool: 3, message: 'AUTH_DB_MAX_POOL_SIZE is 3' },
  ])('warns: $message', ({ workers, pool, message }) => {
    expect(check(workers, pool)[0]).toMatchObject({
      level: 'warning',
      message: expect.stringContaining(message),
    })
  })

  it('warns of all that applies', () => {
    expect(check(8, 5, 4).map(({ message }) => message)).toEqual([
      '8 workers share 4 cores',
      'AUTH_DB_MAX_POOL_SIZE is 5, and each of 8 workers opens at least one connection',
      'AUTH_API_MAX_CONNECTIONS is 4, and each of 8 workers accepts at least one connection',
    ])
  })
})
