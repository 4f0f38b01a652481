import { expect, it } from 'vitest'
import { createUsualTimes } from './usual-times.ts'

it('delays no response where all work is of one kind', () => {
  const times = createUsualTimes()
  times.note('ours', 30)
  times.note('ours', 90)

  expect([times.areEqual(), times.leastMs()]).toEqual([true, 0])
})

it('uses the usual time of the slowest kind and a quarter more, up to two seconds', () => {
  const times = createUsualTimes()
  times.note('ours', 30)
  for (const ms of [400, 360, 5000]) times.note('theirs', ms)

  expect([times.areEqual(), times.leastMs()]).toEqual([false, 500])

  times.note('dearest', 3000)
  expect(times.leastMs()).toBe(2000)
})

it('follows a machine that becomes slower', () => {
  const times = createUsualTimes()
  times.note('ours', 30)
  for (let n = 0; n < 15; n += 1) times.note('theirs', 100)
  for (let n = 0; n < 8; n += 1) times.note('theirs', 200)

  expect(times.leastMs()).toBe(250)
})
