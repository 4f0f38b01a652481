import { expect, it } from 'vitest'
import { createSlowReceivers } from './slow-receivers.ts'

const busy = () => new Error('busy')

function given() {
  let ms = 0
  const call = createSlowReceivers(() => ms)
  /** Starts calls to a receiver; returns the function that ends them, and their results. */
  const start = (name: string, count: number) => {
    const ends: (() => void)[] = []
    const calls = Array.from({ length: count }, () =>
      call(name, () => new Promise<void>((end) => void ends.push(end)), busy),
    )
    const results = Promise.allSettled(calls)
    return { begun: ends.length, end: () => ends.map((end) => end()), results }
  }
  const pass = (time: number) => {
    ms += time
  }
  return { call, start, pass }
}

it('a slow receiver is called three times at once, others as often as they are', async () => {
  const { start, pass } = given()
  const first = start('slow', 10)
  pass(1_001)
  first.end()
  await first.results
  const second = start('slow', 10)
  const results = second.results

  expect([first.begun, second.begun, start('other', 10).begun]).toEqual([10, 3, 10])
  second.end()
  expect((await results).map(({ status }) => status)).toEqual([
    ...Array(3).fill('fulfilled'),
    ...Array(7).fill('rejected'),
  ])
  expect(start('slow', 10).begun).toBe(10)
})

it('a receiver that fails is a slow one', async () => {
  const { call, start } = given()
  const failing = () => Promise.reject(new Error('timeout'))
  await expect(call('down', failing, busy)).rejects.toThrow('timeout')

  expect(start('down', 10).begun).toBe(3)
})
