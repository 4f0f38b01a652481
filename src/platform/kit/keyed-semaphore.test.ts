import { expect, it } from 'vitest'
import { createKeyedSemaphore } from './keyed-semaphore.ts'

/** Work that ends on request, with the names in the order in which it began. */
function recordedWork() {
  const ended = Promise.withResolvers<void>()
  const begun: string[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return ended.promise
  }
  return { begun, ended, work }
}

it('limits concurrent work with one key, and delays no work with another', async () => {
  const inTurn = createKeyedSemaphore(2)
  const { begun, ended, work } = recordedWork()

  const all = [
    ...['a1', 'a2', 'a3'].map((name) => inTurn('a', ['one'], work(name))),
    inTurn('b', ['one'], work('b1')),
  ]
  const atFirst = [...begun]
  ended.resolve()
  await Promise.all(all)

  expect(atFirst).toEqual(['a1', 'a2', 'b1'])
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('runs the next work after one that fails', async () => {
  const inTurn = createKeyedSemaphore(1)

  const results = await Promise.allSettled([
    inTurn('a', ['one'], () => Promise.reject(new Error('broken'))),
    inTurn('a', ['one'], async () => 'second'),
  ])

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

it('S105: serves another network after one turn, however many works of the first one wait', async () => {
  const inTurn = createKeyedSemaphore(1)
  const { begun, ended, work } = recordedWork()

  const all = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => inTurn('user', ['one'], work(name))),
    inTurn('user', ['other'], work('b1')),
  ]
  ended.resolve()
  await Promise.all(all)

  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
})
