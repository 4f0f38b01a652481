import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  createKeyedMutex,
  createKeyedSemaphore,
  createLoopTurns,
  createSemaphore,
  createSingleFlight,
} from './concurrency.ts'

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

/** Work that ends on request, with the names in the order in which it began. */
function recordedWork() {
  const ended = Promise.withResolvers<void>()
  const begun: string[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return ended.promise
  }
  return { begun, ended, work }
}

it('limits concurrent work with one key, and delays no work with another', async () => {
  const inTurn = createKeyedSemaphore(2)
  const { begun, ended, work } = recordedWork()

  const all = [
    ...['a1', 'a2', 'a3'].map((name) => inTurn('a', ['one'], work(name))),
    inTurn('b', ['one'], work('b1')),
  ]
  const atFirst = [...begun]
  ended.resolve()
  await Promise.all(all)

  expect(atFirst).toEqual(['a1', 'a2', 'b1'])
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('runs the next work after one that fails', async () => {
  const inTurn = createKeyedSemaphore(1)

  const results = await Promise.allSettled([
    inTurn('a', ['one'], () => Promise.reject(new Error('broken'))),
    inTurn('a', ['one'], async () => 'second'),
  ])

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

it('S105: serves another network after one turn, however many works of the first one wait', async () => {
  const inTurn = createKeyedSemaphore(1)
  const { begun, ended, work } = recordedWork()

  const all = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => inTurn('user', ['one'], work(name))),
    inTurn('user', ['other'], work('b1')),
  ]
  ended.resolve()
  await Promise.all(all)

  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
})

/** Begins work of these costs, and collects the costs of the work begun so far. */
function begin(costs: number[], maxCost: number): number[] {
  const turns = createLoopTurns(maxCost)
  const begun: number[] = []
  costs.forEach((cost, at) => void turns(cost).then(() => begun.push(at)))
  return begun
}

describe('createLoopTurns', () => {
  it('begins as much in one iteration as fits, in order', async () => {
    const begun = begin([4, 4, 4, 4, 4], 10)

    await Promise.resolve()
    expect(begun).toEqual([0, 1])
    await setImmediate()
    expect(begun).toEqual([0, 1, 2, 3])
    await setImmediate()
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('gives work above the limit an iteration of its own', async () => {
    const begun = begin([1, 100, 1], 10)

    await Promise.resolve()
    expect(begun).toEqual([0])
    await setImmediate()
    expect(begun).toEqual([0, 1])
    await setImmediate()
    expect(begun).toEqual([0, 1, 2])
  })

  it('does not run small work before large work that waits', async () => {
    const begun = begin([8, 8, 1], 10)

    await Promise.resolve()
    expect(begun).toEqual([0])
    await setImmediate()
    expect(begun).toEqual([0, 1, 2])
  })
})
