import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLoopTurns } from './loop-turns.ts'

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
