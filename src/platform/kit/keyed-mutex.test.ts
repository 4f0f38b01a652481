import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createKeyedMutex } from './keyed-mutex.ts'

it('runs work with one key in order, and work with other keys concurrently', async () => {
  const oneAtATime = createKeyedMutex()
  const events: string[] = []
  const work = (name: string, ms: number) => async () => {
    events.push(`${name} begins`)
    await sleep(ms)
    events.push(`${name} ends`)
    return name
  }

  const results = await Promise.all([
    oneAtATime('a', work('first', 30)),
    oneAtATime('a', work('second', 0)),
    oneAtATime('b', work('other', 0)),
  ])

  expect(results).toEqual(['first', 'second', 'other'])
  expect(events.indexOf('second begins')).toBeGreaterThan(events.indexOf('first ends'))
  expect(events.indexOf('other ends')).toBeLessThan(events.indexOf('first ends'))
})

it('continues after failed work, and rejects for its caller', async () => {
  const oneAtATime = createKeyedMutex()
  const failing = oneAtATime('a', () => Promise.reject(new Error('no')))
  const next = oneAtATime('a', async () => 'yes')

  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
