import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createKeyedMutex, createSemaphore, createSingleFlight } from './concurrency.ts'

it('runs work with one key in order, and work with other keys concurrently', async () => {
  const oneAtATime = createKeyedMutex()
  const events: string[] = []
  const work = (name: string, ms: number) => async () => {
    events.push(`${name} begins`)
    await sleep(ms)
    events.push(`${name} ends`)
    return name
  }

  const results = await Promise.all([
    oneAtATime('a', work('first', 30)),
    oneAtATime('a', work('second', 0)),
    oneAtATime('b', work('other', 0)),
  ])

  expect(results).toEqual(['first', 'second', 'other'])
  expect(events.indexOf('second begins')).toBeGreaterThan(events.indexOf('first ends'))
  expect(events.indexOf('other ends')).toBeLessThan(events.indexOf('first ends'))
})

it('continues after failed work, and rejects for its caller', async () => {
  const oneAtATime = createKeyedMutex()
  const failing = oneAtATime('a', () => Promise.reject(new Error('no')))
  const next = oneAtATime('a', async () => 'yes')

  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

it('runs a limited number of operations at once, in the order of their calls', async () => {
  const inTurn = createSemaphore(2)
  let active = 0
  let most = 0
  const order: number[] = []
  const work = (n: number) =>
    inTurn(async () => {
      order.push(n)
      active += 1
      most = Math.max(most, active)
      await new Promise((done) => setTimeout(done, 1))
      active -= 1
      if (n === 3) throw new Error('broken')
    })

  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(work))
  await work(7)

  expect([most, active]).toEqual([2, 0])
  expect(order).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
})

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
