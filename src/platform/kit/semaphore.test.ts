import { expect, it } from 'vitest'
import { createSemaphore } from './semaphore.ts'

it('runs a limited number of operations at once, in the order of their calls', async () => {
  const inTurn = createSemaphore(2)
  let active = 0
  let most = 0
  const order: number[] = []
  const work = (n: number) =>
    inTurn(async () => {
      order.push(n)
      active += 1
      most = Math.max(most, active)
      await new Promise((done) => setTimeout(done, 1))
      active -= 1
      if (n === 3) throw new Error('broken')
    })

  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(work))
  await work(7)

  expect([most, active]).toEqual([2, 0])
  expect(order).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
})
