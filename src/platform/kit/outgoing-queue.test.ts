import { afterEach, describe, expect, it, vi } from 'vitest'
import { createOutgoingQueue } from './outgoing-queue.ts'

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
