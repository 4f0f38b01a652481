import { describe, expect, it } from 'vitest'
import { createElection } from './members.ts'

describe('an election', () => {
  it('gives each task to one worker, and keeps it there while the worker exists', () => {
    const { assign } = createElection<string>()
    const alone = assign(['a'])
    const both = assign(['a', 'b'])

    expect(alone).toEqual(new Map([['a', ['keys', 'outbox', 'sweeping']]]))
    expect(both).toEqual(
      new Map([
        ['a', ['keys', 'outbox', 'sweeping']],
        ['b', []],
      ]),
    )
  })

  it('divides tasks of a worker that has ended among the others', () => {
    const { assign } = createElection<string>()
    assign(['a', 'b', 'c'])
    const without = assign(['b', 'c'])

    expect([...without.values()].flat().toSorted()).toEqual(['keys', 'outbox', 'sweeping'])
    expect([...without.values()].map(({ length }) => length).toSorted()).toEqual([1, 2])
  })

  it('gives tasks to the first worker that is ready after all have ended', () => {
    const { assign } = createElection<string>()
    assign(['a'])

    expect(assign([])).toEqual(new Map())
    expect(assign(['b']).get('b')).toHaveLength(3)
  })
})
