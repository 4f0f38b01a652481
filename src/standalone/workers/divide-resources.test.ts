import { describe, expect, it } from 'vitest'
import { serverEnvironment } from '../../../test/support/server-process.ts'
import { checkEnvironment } from '../settings/environment.ts'
import { partOf, settingsOfWorker } from './divide-resources.ts'
import { argumentsOfWorker, checkHeap, heapOfWorker } from './worker-memory.ts'

const settingsOf = (slot: number, env: Record<string, string>) =>
  settingsOfWorker(
    checkEnvironment({
      ...serverEnvironment,
      AUTH_DATABASE_URL: 'postgres://app@127.0.0.1/app',
      ...env,
    }),
    { slot, count: 2, port: 9999 },
  )

describe('resources', () => {
  it('are divided, so that the parts are the whole', () => {
    const parts = [0, 1, 2].map((slot) => partOf(11, { slot, count: 3 }))

    expect(parts).toEqual([4, 4, 3])
    expect(partOf(1, { slot: 2, count: 3 })).toBe(1)
  })

  it('of a worker are its part of pool, connections, bodies and requests', () => {
    const env = {
      AUTH_DB_MAX_POOL_SIZE: '9',
      AUTH_API_MAX_CONNECTIONS: '101',
      AUTH_API_MAX_BODY_BYTES_IN_FLIGHT: '1048576',
      AUTH_API_MAX_REQUESTS_IN_FLIGHT: '41',
      AUTH_INTERNAL_HTTP_MAX_REQUESTS: '5',
    }
    const workers = [0, 1].map((slot) => settingsOf(slot, env))

    expect(workers.map(({ config }) => config)).toMatchObject([
      {
        database: { maxPoolSize: 5 },
        server: { maxConnections: 51, port: 9999 },
        api: { maxBodyBytesInFlight: 1_048_576, maxRequestsInFlight: 21 },
        outgoing: { maxRequests: 3 },
      },
      {
        database: { maxPoolSize: 4 },
        server: { maxConnections: 50 },
        outgoing: { maxRequests: 2 },
      },
    ])
    expect(workers.map(({ resolved }) => resolved.server.maxConnections)).toEqual([51, 50])
  })

  it('without a limit stay so, and defaults are divided', () => {
    const { config } = settingsOf(0, { AUTH_DB_MAX_POOL_SIZE: '0', AUTH_API_MAX_CONNECTIONS: '0' })

    expect(config).toMatchObject({ database: { maxPoolSize: 0 }, server: { maxConnections: 0 } })
    expect(settingsOf(0, {}).config.server?.maxConnections).toBe(500)
    expect(settingsOf(0, {}).config.database).not.toHaveProperty('maxPoolSize')
  })

  it('include the heap, as set or as derived from the memory', () => {
    const mebibyte = 1_048_576

    expect(heapOfWorker(2, ['--max-old-space-size=512'], 4096 * mebibyte)).toBe(256)
    expect(heapOfWorker(2, ['--max_old_space_size=512', '--max-old-space-size=600'])).toBe(300)
    expect(heapOfWorker(4, ['--inspect'], 4096 * mebibyte)).toBe(1024)
    expect(heapOfWorker(8, ['--max-old-space-size=512'])).toBe(96)
  })

  it('include the part of the heap for new objects, unless the operator limits it', () => {
    const limits = (...words: string[]) =>
      argumentsOfWorker(2, words).filter((word) => word.startsWith('--max'))

    expect(limits('--max-old-space-size=256')).toEqual([
      '--max-old-space-size=128',
      '--max-semi-space-size=8',
    ])
    expect(limits('--max-old-space-size=4096')).toContain('--max-semi-space-size=16')
    expect(limits('--max-old-space-size=4096', '--max_semi_space_size=4')).toEqual([
      '--max-old-space-size=2048',
    ])
  })
})

describe('checkHeap', () => {
  const mebibyte = 1_048_576

  it('warns of a limit that leaves no place for new objects', () => {
    expect(checkHeap(['--max-old-space-size=128'], 320 * mebibyte)).toMatchObject([
      {
        level: 'warning',
        message: expect.stringContaining('up to 192 MiB for new objects'),
        remedy: 'add --max-semi-space-size=8 to NODE_OPTIONS',
      },
    ])
  })

  it.each([
    { title: 'no limit', words: [], limit: 4288 },
    {
      title: 'both limits',
      words: ['--max-old-space-size=128', '--max-semi-space-size=8'],
      limit: 152,
    },
    { title: 'the limit of a container', words: ['--max-old-space-size=128'], limit: 131 },
    { title: 'a large heap', words: ['--max-old-space-size=2048'], limit: 2240 },
  ])('is silent with $title', ({ words, limit }) => {
    expect(checkHeap(words, limit * mebibyte)).toEqual([])
  })
})
