import { expect, it } from 'vitest'
import { createPlaceIndex } from './place-index.ts'

it('finds the first place of each value, however many there are', () => {
  const index = createPlaceIndex()
  const values = Array.from({ length: 20_000 }, (_, n) => `email user-${n}@example.test`)

  for (const [place, value] of values.entries()) index.add(value, place)
  index.add('email user-7@example.test', 30_000)

  expect(values.map((value) => index.find(value))).toEqual([...values.keys()])
  expect(index.find('email other@example.test')).toBeNull()
})

it('finds values in buckets of several blocks', () => {
  const index = createPlaceIndex()
  const count = 700_000
  for (let n = 0; n < count; n += 1) index.add(`user ${n}`, n)

  let mistakes = 0
  for (let n = 0; n < count; n += 1) if (index.find(`user ${n}`) !== n) mistakes += 1
  expect(mistakes).toBe(0)
  expect(index.find(`user ${count}`)).toBeNull()
})

it('stores the greatest line of a file', () => {
  const index = createPlaceIndex()

  index.add('id', 2 ** 32 - 2)

  expect(index.find('id')).toBe(2 ** 32 - 2)
})
