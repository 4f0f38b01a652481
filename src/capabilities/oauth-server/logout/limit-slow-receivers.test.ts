import { expect, it } from 'vitest'
import { limitSlowReceivers } from './limit-slow-receivers.ts'

const busy = () => new Error('busy')

function given() {
  let ms = 0
  const call = limitSlowReceivers(() => ms)
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

it('limits calls to a slow receiver to three at once, and does not limit others', async () => {
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

it('treats a receiver whose call failed after that time as slow, and none that failed at once', async () => {
  const { call, pass, start } = given()
  const fail = () => Promise.reject(new Error('failed'))
  const timeOut = async () => {
    pass(5_000)
    throw new Error('timeout')
  }
  await expect(call('rejecting', fail, busy)).rejects.toThrow('failed')
  await expect(call('silent', timeOut, busy)).rejects.toThrow('timeout')

  expect([start('rejecting', 10).begun, start('silent', 10).begun]).toEqual([10, 3])
})

it('stays slow while another call runs', async () => {
  const { call, pass, start } = given()
  const timeOut = async () => pass(5_000)
  await call('hostile', timeOut, busy)
  start('hostile', 2)
  await call('hostile', async () => {}, busy)

  expect(start('hostile', 10).begun).toBe(1)
})
