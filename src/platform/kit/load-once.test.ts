import { expect, it } from 'vitest'
import { loadOnce } from './load-once.ts'

it('loads once for concurrent and later calls', async () => {
  let loads = 0
  const loaded = loadOnce(async () => {
    loads += 1
    return { loads }
  })

  const all = await Promise.all([loaded(), loaded()])
  all.push(await loaded())

  expect(new Set(all)).toEqual(new Set([{ loads: 1 }]))
  expect(loads).toBe(1)
})

it('repeats a failed load, whose error each waiting call receives', async () => {
  const outcomes = [Promise.reject(new Error('no file')), Promise.resolve('code')]
  const loaded = loadOnce(() => outcomes.shift() ?? Promise.reject(new Error('a third load')))

  const failed = await Promise.allSettled([loaded(), loaded()])

  expect(failed.map((one) => one.status)).toEqual(['rejected', 'rejected'])
  expect([await loaded(), await loaded()]).toEqual(['code', 'code'])
})
