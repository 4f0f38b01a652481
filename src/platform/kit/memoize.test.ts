import { expect, it } from 'vitest'
import { memoize } from './memoize.ts'

it('computes a value once for an object, and another one for another object', () => {
  const made: object[] = []
  const make = memoize((key: object) => ({ number: made.push(key) }))
  const [one, other] = [{}, () => {}]

  const first = make(one)

  expect(make(one)).toBe(first)
  expect(make(other)).toEqual({ number: 2 })
  expect(made).toEqual([one, other])
})
