import { expect, it } from 'vitest'
import { withinTime } from './within-time.ts'

const late = () => new Error('late')

it('returns a result within the time limit', async () => {
  await expect(withinTime(Promise.resolve(1), 1000, late)).resolves.toBe(1)
  await expect(withinTime(Promise.reject(new Error('broken')), 1000, late)).rejects.toThrow(
    'broken',
  )
})

it('stops waiting at the limit, and leaves no timer behind', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

  await expect(withinTime(new Promise(() => {}), 20, late)).rejects.toThrow('late')
  await withinTime(Promise.resolve(), 60_000, late)

  const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  expect(after).toBeLessThanOrEqual(before)
})
