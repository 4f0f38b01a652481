import { afterEach, describe, expect, it, vi } from 'vitest'
import { createOutgoingQueue, createSharedQueue } from './outgoing-queue.ts'

afterEach(() => {
  vi.useRealTimers()
})

const full = new Error('full')
const pathOf = () => ['']

/** A queue, and work in it that the test ends. */
function open(limits: { width: number; maxWaiting: number; maxWaitMs?: number }) {
  const queue = createOutgoingQueue({ maxWaitMs: 1_000, ...limits, pathOf, full: () => full })
  const ends: (() => void)[] = []
  const begin = () =>
    queue(
      () =>
        new Promise<string>((resolve) => {
          ends.push(() => resolve('done'))
        }),
    )
  return { begin, ends }
}

describe('createOutgoingQueue', () => {
  it('runs work up to its width, then the work that has waited longest', async () => {
    const { begin, ends } = open({ width: 2, maxWaiting: 2 })
    const all = [begin(), begin(), begin(), begin()]
    expect(ends).toHaveLength(2)

    ends[0]?.()
    await all[0]
    await vi.waitFor(() => expect(ends).toHaveLength(3))
    ends[1]?.()
    ends[2]?.()
    await vi.waitFor(() => expect(ends).toHaveLength(4))
    ends[3]?.()

    expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done'])
  })

  it('rejects work at once if the queue is full', async () => {
    const { begin, ends } = open({ width: 1, maxWaiting: 1 })
    const all = [begin(), begin()]

    await expect(begin()).rejects.toBe(full)
    ends[0]?.()
    await vi.waitFor(() => expect(ends).toHaveLength(2))
    ends[1]?.()
    await Promise.all(all)
  })

  it('rejects work that has waited for too long, and frees its place', async () => {
    vi.useFakeTimers()
    const { begin, ends } = open({ width: 1, maxWaiting: 1, maxWaitMs: 1_000 })
    const first = begin()
    const late = begin()
    const rejected = expect(late).rejects.toBe(full)
    await vi.advanceTimersByTimeAsync(1_000)
    await rejected

    const next = begin()
    ends[0]?.()
    await first
    await vi.advanceTimersByTimeAsync(0)
    ends[1]?.()
    expect(await next).toBe('done')
  })

  it('passes on the place of work that fails', async () => {
    const queue = createOutgoingQueue({
      width: 1,
      maxWaiting: 1,
      maxWaitMs: 1_000,
      pathOf,
      full: () => full,
    })
    const failing = queue(async () => {
      throw new Error('unreachable')
    })
    const next = queue(async () => 'done')

    await expect(failing).rejects.toThrow('unreachable')
    expect(await next).toBe('done')
  })

  it('S16: alternates between networks, and drops the last work of the one with the most', async () => {
    let path = ['a /48', 'a /56']
    const begun: string[] = []
    const queue = createOutgoingQueue({
      width: 1,
      maxWaiting: 4,
      maxWaitMs: 1_000,
      pathOf: () => path,
      full: () => full,
    })
    const ask = (name: string) => queue(async () => void begun.push(name))
    const running = Promise.withResolvers<void>()
    const first = queue(() => running.promise)
    const flood = [1, 2, 3, 4].map((n) => ask(`flood ${n}`))
    const displaced = expect(flood[3]).rejects.toBe(full)
    path = ['another /48', 'another /56']
    const other = ask('other')

    running.resolve()
    await Promise.all([first, displaced, other, ...flood.slice(0, 3)])

    expect(begun).toEqual(['flood 1', 'other', 'flood 2', 'flood 3'])
  })
})

describe('createSharedQueue', () => {
  /** A queue with one place, which work of another key has until the test ends that work. */
  function openShared(maxWaiting = 8) {
    const network = { path: ['attacker', ''] }
    const queue = createOutgoingQueue({
      width: 1,
      maxWaiting,
      maxWaitMs: 1_000,
      pathOf: () => network.path,
      full: () => full,
    })
    const share = createSharedQueue(queue)
    const begun: string[] = []
    const slow = Promise.withResolvers<string>()
    const run = (from: string, key: string) => {
      network.path = [from, '']
      return share(key, async () => {
        begun.push(`${key} for ${from}`)
        return key === 'slow' ? slow.promise : key
      })
    }
    return { run, begun, slow }
  }

  it('runs work once for concurrent callers, which share its result or error', async () => {
    const share = createSharedQueue((work) => work())
    let runs = 0
    const run = () =>
      share('a', async () => {
        runs += 1
        await Promise.resolve()
        throw new Error(`run ${runs}`)
      })

    await Promise.all([run(), run()].map((one) => expect(one).rejects.toThrow('run 1')))
    await expect(run()).rejects.toThrow('run 2')
  })

  it('S16: keeps no caller behind the requests of the network that waited for the same work', async () => {
    const { run, begun, slow } = openShared()
    const first = run('attacker', 'slow')
    const flood = [1, 2, 3].map((n) => run('attacker', `flood ${n}`))
    const early = run('attacker', 'wanted')
    const late = run('victim', 'wanted')

    slow.resolve('slow')
    await late
    expect(await early).toBe('wanted')
    await Promise.all([first, ...flood])

    expect(begun).toEqual([
      'slow for attacker',
      'flood 1 for attacker',
      'wanted for victim',
      'flood 2 for attacker',
      'flood 3 for attacker',
    ])
  })

  it('rejects only the caller whose place was displaced or refused', async () => {
    const { run, slow } = openShared(1)
    const first = run('attacker', 'slow')
    const other = run('victim', 'wanted')
    await expect(run('attacker', 'wanted')).rejects.toBe(full)

    slow.resolve('slow')
    expect(await other).toBe('wanted')
    expect(await first).toBe('slow')
    expect(await run('attacker', 'wanted')).toBe('wanted')
  })

  it('frees the places of callers that share the work of another one', async () => {
    const { run, begun, slow } = openShared(2)
    const first = run('attacker', 'slow')
    const pair = [run('attacker', 'wanted'), run('victim', 'wanted')]
    slow.resolve('slow')
    await Promise.all([first, ...pair])

    expect(begun).toHaveLength(2)
    expect(await run('victim', 'next')).toBe('next')
  })
})
