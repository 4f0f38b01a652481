import { describe, expect, it, vi } from 'vitest'
import { createGate, type Gate, type GateOptions, type HashingPriority } from './gate.ts'

/** Work that starts through a gate and ends when the test requires it. */
interface Guest {
  result: Promise<string>
  isInside(): boolean
  finish(): Promise<void>
  fail(): Promise<void>
}

const gateOf = (options: Partial<GateOptions> = {}): Gate =>
  createGate({ width: 1, maxWaiting: 10, maxWaitMs: 60_000, ...options })

const settled = () => new Promise(setImmediate)

function enter(gate: Gate, name = '', priority?: HashingPriority): Guest {
  const ending = Promise.withResolvers<string>()
  let inside = false
  const result = gate(() => {
    inside = true
    return ending.promise
  }, priority)
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
  it('admits its width at once, and queues the others', async () => {
    const gate = gateOf({ width: 2 })

    const guests = [enter(gate), enter(gate), enter(gate)]
    await settled()

    expect(guests.map((guest) => guest.isInside())).toEqual([true, true, false])
  })

  it('reports whether a computation would start or wait now', async () => {
    const gate = gateOf({ maxWaiting: 1 })
    const [other, known] = [
      { path: ['b'], hasPriority: false },
      { path: ['b'], hasPriority: true },
    ]
    const admitted = [gate.admits(other)]
    enter(gate)
    admitted.push(gate.admits(other))
    enter(gate)
    admitted.push(gate.admits(other), gate.admits(known))

    expect(admitted).toEqual([true, true, false, true])
  })

  it('admits one for each that ends, in order', async () => {
    const gate = gateOf()
    const [first, second, third] = [enter(gate), enter(gate), enter(gate)]
    await settled()

    await first.finish()
    const afterFirst = [second.isInside(), third.isInside()]
    await second.finish()

    expect(afterFirst).toEqual([true, false])
    expect(third.isInside()).toBe(true)
  })

  it('passes the place of a failed computation to the next, and its error to the caller', async () => {
    const gate = gateOf()
    const [first, second] = [enter(gate), enter(gate)]

    await first.fail()

    await expect(first.result).rejects.toThrow('the work failed')
    expect(second.isInside()).toBe(true)
  })

  it('is never wider than configured, and never narrower after many computations', async () => {
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

  it('rejects with 503 when the queue is full, without starting the work', async () => {
    const gate = gateOf({ maxWaiting: 2 })
    const guests = [enter(gate), enter(gate), enter(gate)]

    const late = enter(gate)

    await expect(late.result).rejects.toMatchObject(busy)
    expect(late.isInside()).toBe(false)
    expect(guests[0]?.isInside()).toBe(true)
  })

  it('admits again once a computation ends', async () => {
    const gate = gateOf({ maxWaiting: 1 })
    const [first] = [enter(gate), enter(gate)]
    await first?.finish()

    const next = enter(gate, 'next')
    await settled()

    await expect(Promise.race([next.result, Promise.resolve('waiting')])).resolves.toBe('waiting')
  })
})

describe('H22: a queue with many computations of one client', () => {
  const unknownClient = (share: string): HashingPriority => ({ path: [share], hasPriority: false })
  const known = (share: string): HashingPriority => ({ path: [share], hasPriority: true })
  const many = (gate: Gate, count: number, priority: (index: number) => HashingPriority) =>
    Array.from({ length: count }, (_, index) => enter(gate, '', priority(index)))
  const outcome = (guest: Guest) =>
    Promise.race([guest.result.catch(({ status }) => status), settled().then(() => 'waits')])

  it('alternates between fairness keys', async () => {
    const gate = gateOf()
    const [first, ...flood] = many(gate, 5, () => unknownClient('attacker'))
    const honest = enter(gate, '', unknownClient('honest'))

    await first?.finish()
    await flood[0]?.finish()

    expect(honest.isInside()).toBe(true)
    expect(flood.map((guest) => guest.isInside())).toEqual([true, false, false, false])
  })

  it('replaces, when full, a computation of the longest sub-queue by one of a shorter', async () => {
    const gate = gateOf({ maxWaiting: 4 })
    const [, ...flood] = many(gate, 5, () => unknownClient('attacker'))

    const honest = [enter(gate, '', unknownClient('one')), enter(gate, '', unknownClient('other'))]
    const late = enter(gate, '', unknownClient('attacker'))

    expect(await Promise.all(flood.map(outcome))).toEqual(['waits', 'waits', 503, 503])
    expect(await Promise.all(honest.map(outcome))).toEqual(['waits', 'waits'])
    expect(await outcome(late)).toBe(503)
  })

  it('rejects a computation that would replace one of an equally short sub-queue', async () => {
    const gate = gateOf({ maxWaiting: 2 })
    const [, ...waiting] = many(gate, 3, (index) => unknownClient(`address ${index}`))

    const late = enter(gate, '', unknownClient('another address'))

    expect(await outcome(late)).toBe(503)
    expect(await Promise.all(waiting.map(outcome))).toEqual(['waits', 'waits'])
  })

  it('reserves places for computations with priority', async () => {
    const gate = gateOf({ maxWaiting: 2 })
    const [inside] = many(gate, 3, (index) => unknownClient(`address ${index}`))

    const honest = enter(gate, '', known('known'))
    await inside?.finish()

    expect(honest.isInside()).toBe(true)
  })

  it('admits one without priority after each three with priority', async () => {
    const gate = gateOf({ maxWaiting: 20 })
    const order: string[] = []
    const pass = (name: string, priority: HashingPriority) =>
      gate(async () => {
        order.push(name)
        await settled()
      }, priority)

    await Promise.all([
      pass('inside', known('inside')),
      ...Array.from({ length: 6 }, (_, index) => pass('first', known(`first ${index}`))),
      ...Array.from({ length: 3 }, (_, index) => pass('other', unknownClient(`other ${index}`))),
    ])

    const inTurns = ['first', 'first', 'first', 'other']
    expect(order).toEqual(['inside', ...inTurns, ...inTurns, 'other'])
  })

  it('releases the places of computations that waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const gate = gateOf({ maxWaitMs: 1000, maxWaiting: 2 })
      const [, ...flood] = many(gate, 3, () => unknownClient('attacker'))
      vi.advanceTimersByTime(1000)
      await Promise.allSettled(flood.map(({ result }) => result))

      const honest = many(gate, 2, () => unknownClient('attacker'))

      expect(await Promise.all(honest.map(outcome))).toEqual(['waits', 'waits'])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a deadline', () => {
  it('rejects with 503 only the computations that waited too long', async () => {
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

  it('does not end work that was admitted before it', async () => {
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
