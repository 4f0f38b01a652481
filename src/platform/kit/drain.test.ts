import { describe, expect, it } from 'vitest'
import { ClosedError, createDrain } from './drain.ts'

describe('a drain', () => {
  it('waits until all running work has ended or failed', async () => {
    const drain = createDrain()
    const [one, two] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const works = [drain.track(() => one.promise), drain.track(() => two.promise)]
    const order: string[] = []

    const closed = drain.close().then(() => order.push('closed'))
    const ended = Promise.allSettled(works).then(() => order.push('ended'))
    two.reject(new Error('it failed'))
    one.resolve('done')
    await Promise.all([closed, ended])

    await expect(works[0]).resolves.toBe('done')
    await expect(works[1]).rejects.toThrow('it failed')
    expect(order.toSorted()).toEqual(['closed', 'ended'])
  })

  it('is not closed before the last work has ended', async () => {
    const drain = createDrain()
    const work = Promise.withResolvers<void>()
    void drain.track(() => work.promise)
    let isClosed = false
    const closed = drain.close().then(() => {
      isClosed = true
    })

    await new Promise(setImmediate)
    const before = isClosed
    work.resolve()
    await closed

    expect([before, isClosed]).toEqual([false, true])
  })

  it('rejects work after it begins to close, without starting it', async () => {
    const drain = createDrain()
    await drain.close()
    let started = false

    const late = drain.track(async () => {
      started = true
    })

    await expect(late).rejects.toBeInstanceOf(ClosedError)
    expect(started).toBe(false)
  })

  it('passes on synchronous and later errors of the work', async () => {
    const drain = createDrain()

    const thrown = drain.track(() => {
      throw new RangeError('at once')
    })

    await expect(thrown).rejects.toThrow(RangeError)
    await drain.close()
  })
})
