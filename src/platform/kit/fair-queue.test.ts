import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { fairnessPath } from './client-networks.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** Returns a /64 of the attacker's /48. */
const flooding = (index: number) => fairnessPath(`2001:db8:bad:${index.toString(16)}::/64`)
const bystander = (index: number) => fairnessPath(`198.51.${index}.9`)

function drain<Item>(queue: FairQueue<Item>): Item[] {
  const items: Item[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The size of the objects that only a full garbage collection frees. */
const oldBytes = (): number =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
    ?.space_used_size ?? Number.NaN

describe('S16: a queue of networks', () => {
  it('excludes no network while one /48 sends from each of its 65,536 networks', () => {
    const queue = createFairQueue<string>(64)
    for (let index = 0; index < 65_536; index += 1) queue.add(flooding(index), 'flood')

    const displaced = Array.from({ length: 10 }, (_, index) =>
      queue.add(bystander(index), `bystander ${index}`),
    )
    for (let index = 0; index < 65_536; index += 1) queue.add(flooding(index), 'flood')

    expect(displaced).toEqual(Array(10).fill('flood'))
    expect(queue.size()).toBe(64)
    const order = drain(queue)
    expect(order.slice(0, 11).filter((item) => item !== 'flood')).toHaveLength(10)
  })

  it('admits what it would queue', () => {
    const queue = createFairQueue<string>(16)
    const foretold: boolean[] = []
    const queued: boolean[] = []
    for (let index = 0; index < 2_000; index += 1) {
      const path = index % 5 === 4 ? bystander(index % 7) : flooding(index % 11)
      foretold.push(queue.admits(path))
      queued.push(queue.add(path, `item ${index}`) !== `item ${index}`)
      if (index % 13 === 0) queue.next()
    }

    expect(foretold).toEqual(queued)
    expect(new Set(queued)).toEqual(new Set([true, false]))
  })

  it('excludes no address while a /24 sends from each of its addresses', () => {
    const queue = createFairQueue<string>(8)
    for (let index = 0; index < 256; index += 1)
      queue.add(fairnessPath(`203.0.113.${index}`), 'flood')

    expect(queue.add(bystander(1), 'bystander')).toBe('flood')
    expect([queue.next(), queue.next()]).toContain('bystander')
  })

  it('alternates between the /56 networks of a /48, and between the /64 networks of a /56', () => {
    const queue = createFairQueue<string>(100)
    const add = (subnet: string, item: string) =>
      queue.add(fairnessPath(`2001:db8:1:${subnet}::/64`), item)
    for (let index = 0; index < 3; index += 1) add('101', `a1-${index}`)
    for (let index = 0; index < 3; index += 1) add('102', `a2-${index}`)
    for (let index = 0; index < 3; index += 1) add('201', `b1-${index}`)
    queue.add(bystander(1), 'other')

    expect(drain(queue)).toEqual([
      'a1-0',
      'other',
      'b1-0',
      'a2-0',
      'b1-1',
      'a1-1',
      'b1-2',
      'a2-1',
      'a1-2',
      'a2-2',
    ])
  })

  it('divides the capacity of a full queue within a /48, too', () => {
    const queue = createFairQueue<string>(4)
    for (let index = 0; index < 4; index += 1) queue.add(flooding(index), `flood ${index}`)

    expect(queue.add(fairnessPath('2001:db8:bad:100::/64'), 'neighbour')).toBe('flood 3')
    expect(queue.add(flooding(9), 'late')).toBe('late')
    expect(queue.size()).toBe(4)
  })

  it('removes an item that no longer waits, and stores no network without one', () => {
    const queue = createFairQueue<string>(4)
    queue.add(flooding(1), 'first')
    queue.add(flooding(2), 'second')

    queue.remove(flooding(1), 'first')
    queue.remove(flooding(3), 'unknown')

    expect(queue.size()).toBe(1)
    expect(drain(queue)).toEqual(['second'])
    expect(queue.next()).toBeUndefined()
  })
})

describe('the memory of items that left a queue', () => {
  it('is free before a full garbage collection', () => {
    const queue = createFairQueue<number[]>(64)
    const path = fairnessPath('198.51.100.9')
    const visit = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        queue.add(path, new Array(128).fill(index))
        if (queue.size() === 64) queue.next()
      }
    }
    visit(10_000)
    collectGarbage()
    const before = oldBytes()

    const growth = Array.from({ length: 20 }, () => {
      visit(1_000)
      return oldBytes() - before
    })

    // All of them have 20 MB.
    expect(Math.max(...growth)).toBeLessThan(2e6)
  })
})
