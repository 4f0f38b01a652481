import { expect, it } from 'vitest'
import { memoize } from './memoize.ts'

it('makes something of an object once, and something else of another one', () => {
  const made: object[] = []
  const make = memoize((key: object) => ({ number: made.push(key) }))
  const [one, other] = [{}, () => {}]

  const first = make(one)

  expect(make(one)).toBe(first)
  expect(make(other)).toEqual({ number: 2 })
  expect(made).toEqual([one, other])
})
