import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createSingleFlight } from './single-flight.ts'

it('runs work once for all concurrent callers, and again after that', async () => {
  const share = createSingleFlight()
  let runs = 0
  const work = async () => {
    await setImmediate()
    return ++runs
  }

  expect(await Promise.all([share('a', work), share('a', work), share('b', work)])).toEqual([
    1, 1, 2,
  ])
  expect(await share('a', work)).toBe(3)
})

it('shares a failure, and stores none', async () => {
  const share = createSingleFlight()
  const fail = async () => {
    throw new Error('no')
  }

  const both = await Promise.allSettled([share('a', fail), share('a', fail)])

  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await share('a', async () => 1)).toBe(1)
})
