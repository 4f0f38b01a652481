import { describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { RateLimitsConfig } from '../sections/rate-limits.ts'

const redisUrl = 'redis://127.0.0.1:6379'
const redis = () => ({})

const storeOf = (rateLimits: RateLimitsConfig) =>
  checkConfig({ ...minimal, rateLimits }).config.rateLimits.store
const warningsOf = (rateLimits: RateLimitsConfig) =>
  checkConfig({ ...minimal, rateLimits }).warnings.filter((one) => one.includes('redis'))

describe('the store of limits', () => {
  it('is Redis where one is configured, and memory otherwise', () => {
    expect(storeOf({})).toBe('memory')
    expect(storeOf({ redisUrl })).toBe('redis')
    expect(storeOf({ redis })).toBe('redis')
    expect(storeOf({ redisUrl, store: 'postgres' })).toBe('postgres')
  })

  it('requires one Redis where it is Redis', () => {
    expect(problemsWith({ rateLimits: { store: 'redis' } })).toEqual({
      'rateLimits.redisUrl': 'is required because rateLimits.store is redis',
    })
    expect(problemsWith({ rateLimits: { redis, redisUrl } })).toEqual({
      'rateLimits.redis': 'replaces rateLimits.redisUrl: remove one',
    })
  })

  it('warns of a Redis without effect', () => {
    expect(warningsOf({ redisUrl, store: 'postgres' })).toEqual([
      'rateLimits.redisUrl has no effect where rateLimits.store is postgres',
    ])
    expect(warningsOf({ redis, store: 'memory' })).toEqual([
      'rateLimits.redis has no effect where rateLimits.store is memory',
    ])
    expect(warningsOf({ redisUrl })).toEqual([])
  })

  it.each([
    'localhost:6379',
    'http://localhost:6379',
    'redis://user:pa#ss@host',
    'redis://user:pa/ss@host:6379',
    'redis://host/zero',
    'redis://host/0?db=1',
    'redis:///0',
  ])('rejects %s, and shows no password', (url) => {
    const problems = problemsWith({ rateLimits: { redisUrl: url } })
    expect(problems['rateLimits.redisUrl']).toMatch(/^must be a URL such as rediss:/)
    expect(JSON.stringify(problems)).not.toContain('pa/ss')
  })

  it.each([
    'redis://host',
    'redis://host:6379/',
    'rediss://user:pa%23ss@host:6379/15',
    'redis://[::1]:6379',
  ])('accepts %s', (url) => {
    expect(problemsWith({ rateLimits: { redisUrl: url } })).toEqual({})
  })
})
