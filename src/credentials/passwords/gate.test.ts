import { describe, expect, it, vi } from 'vitest'
import { createGate, type Gate, type GateOptions, type Turn } from './gate.ts'

/** Work that is begun through a gate and ends when the test says so. */
interface Guest {
  result: Promise<string>
  isInside(): boolean
  finish(): Promise<void>
  fail(): Promise<void>
}

const gateOf = (options: Partial<GateOptions> = {}): Gate =>
  createGate({ width: 1, maxWaiting: 10, maxWaitMs: 60_000, ...options })

const settled = () => new Promise(setImmediate)

function enter(gate: Gate, name = '', turn?: Turn): Guest {
  const ending = Promise.withResolvers<string>()
  let inside = false
  const result = gate(() => {
    inside = true
    return ending.promise
  }, turn)
  result.catch(() => {})
  return {
    result,
    isInside: () => inside,
    finish: async () => {
      ending.resolve(name)
      await settled()
    },
    fail: async () => {
      ending.reject(new Error('the work failed'))
      await settled()
    },
  }
}

const busy = { code: 'service_unavailable', status: 503, details: { retryAfterSeconds: 1 } }

describe('a gate', () => {
  it('lets its width through at once and the others wait', async () => {
    const gate = gateOf({ width: 2 })

    const guests = [enter(gate), enter(gate), enter(gate)]
    await settled()

    expect(guests.map((guest) => guest.isInside())).toEqual([true, true, false])
  })

  it('lets in one for each that leaves, in the order in which they came', async () => {
    const gate = gateOf()
    const [first, second, third] = [enter(gate), enter(gate), enter(gate)]
    await settled()

    await first.finish()
    const afterFirst = [second.isInside(), third.isInside()]
    await second.finish()

    expect(afterFirst).toEqual([true, false])
    expect(third.isInside()).toBe(true)
  })

  it('gives the place of whoever fails to the next, and hands the failure on', async () => {
    const gate = gateOf()
    const [first, second] = [enter(gate), enter(gate)]

    await first.fail()

    await expect(first.result).rejects.toThrow('the work failed')
    expect(second.isInside()).toBe(true)
  })

  it('is never wider than it should be, and never narrower for it, after many passed', async () => {
    const gate = gateOf({ width: 3, maxWaiting: 100 })
    let [inside, most] = [0, 0]
    const work = async () => {
      inside += 1
      most = Math.max(most, inside)
      await settled()
      inside -= 1
    }

    await Promise.all(Array.from({ length: 50 }, () => gate(work)))
    const again = [enter(gate), enter(gate), enter(gate), enter(gate)]
    await settled()

    expect(most).toBe(3)
    expect(again.map((guest) => guest.isInside())).toEqual([true, true, true, false])
  })

  it('turns away with 503 whoever finds the queue full, without starting the work', async () => {
    const gate = gateOf({ maxWaiting: 2 })
    const guests = [enter(gate), enter(gate), enter(gate)]

    const late = enter(gate)

    await expect(late.result).rejects.toMatchObject(busy)
    expect(late.isInside()).toBe(false)
    expect(guests[0]?.isInside()).toBe(true)
  })

  it('has room again once somebody leaves', async () => {
    const gate = gateOf({ maxWaiting: 1 })
    const [first] = [enter(gate), enter(gate)]
    await first?.finish()

    const next = enter(gate, 'next')
    await settled()

    await expect(Promise.race([next.result, Promise.resolve('waiting')])).resolves.toBe('waiting')
  })
})

describe('H22: a queue with many of one in it', () => {
  const stranger = (share: string): Turn => ({ path: [share], goesFirst: false })
  const known = (share: string): Turn => ({ path: [share], goesFirst: true })
  const many = (gate: Gate, count: number, turn: (index: number) => Turn) =>
    Array.from({ length: count }, (_, index) => enter(gate, '', turn(index)))
  const outcome = (guest: Guest) =>
    Promise.race([guest.result.catch(({ status }) => status), settled().then(() => 'waits')])

  it('lets the shares take turns', async () => {
    const gate = gateOf()
    const [first, ...flood] = many(gate, 5, () => stranger('attacker'))
    const honest = enter(gate, '', stranger('honest'))

    await first?.finish()
    await flood[0]?.finish()

    expect(honest.isInside()).toBe(true)
    expect(flood.map((guest) => guest.isInside())).toEqual([true, false, false, false])
  })

  it('makes place, where it is full, for whoever has less in it', async () => {
    const gate = gateOf({ maxWaiting: 4 })
    const [, ...flood] = many(gate, 5, () => stranger('attacker'))

    const honest = [enter(gate, '', stranger('one')), enter(gate, '', stranger('other'))]
    const late = enter(gate, '', stranger('attacker'))

    expect(await Promise.all(flood.map(outcome))).toEqual(['waits', 'waits', 503, 503])
    expect(await Promise.all(honest.map(outcome))).toEqual(['waits', 'waits'])
    expect(await outcome(late)).toBe(503)
  })

  it('turns away whoever would have to take the place of somebody with as little', async () => {
    const gate = gateOf({ maxWaiting: 2 })
    const [, ...waiting] = many(gate, 3, (index) => stranger(`address ${index}`))

    const late = enter(gate, '', stranger('another address'))

    expect(await outcome(late)).toBe(503)
    expect(await Promise.all(waiting.map(outcome))).toEqual(['waits', 'waits'])
  })

  it('has places of their own for those who go first, whoever else waits', async () => {
    const gate = gateOf({ maxWaiting: 2 })
    const [inside] = many(gate, 3, (index) => stranger(`address ${index}`))

    const honest = enter(gate, '', known('known'))
    await inside?.finish()

    expect(honest.isInside()).toBe(true)
  })

  it('lets one of the others through for each three who go first', async () => {
    const gate = gateOf({ maxWaiting: 20 })
    const order: string[] = []
    const pass = (name: string, turn: Turn) =>
      gate(async () => {
        order.push(name)
        await settled()
      }, turn)

    await Promise.all([
      pass('inside', known('inside')),
      ...Array.from({ length: 6 }, (_, index) => pass('first', known(`first ${index}`))),
      ...Array.from({ length: 3 }, (_, index) => pass('other', stranger(`other ${index}`))),
    ])

    const inTurns = ['first', 'first', 'first', 'other']
    expect(order).toEqual(['inside', ...inTurns, ...inTurns, 'other'])
  })

  it('forgets those who waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const gate = gateOf({ maxWaitMs: 1000, maxWaiting: 2 })
      const [, ...flood] = many(gate, 3, () => stranger('attacker'))
      vi.advanceTimersByTime(1000)
      await Promise.allSettled(flood.map(({ result }) => result))

      const honest = many(gate, 2, () => stranger('attacker'))

      expect(await Promise.all(honest.map(outcome))).toEqual(['waits', 'waits'])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a deadline', () => {
  it('turns away with 503 who waits too long, and nobody else', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const gate = gateOf({ maxWaitMs: 1000 })
      const first = enter(gate)
      const second = enter(gate)
      vi.advanceTimersByTime(600)
      const third = enter(gate)

      vi.advanceTimersByTime(500)
      await expect(second.result).rejects.toMatchObject(busy)
      await first.finish()

      expect([second.isInside(), third.isInside()]).toEqual([false, true])
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not end what is let in before it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const gate = gateOf({ maxWaitMs: 1000 })
      const [first, second] = [enter(gate), enter(gate, 'second')]
      await first?.finish()

      vi.advanceTimersByTime(5000)
      await second?.finish()

      await expect(second?.result).resolves.toBe('second')
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
