import { describe, expect, it } from 'vitest'
import { createRequestsInFlight } from './requests-in-flight.ts'

/** Returns a request that is served until `finish` is called. */
function openRequest(serveInFlight: ReturnType<typeof createRequestsInFlight>, network: string) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const result: { is: string } = { is: 'pending' }
  let hasBegun = false
  const settled = serveInFlight({
    path: () => [network],
    serve: () => {
      hasBegun = true
      return promise
    },
    reject: () => 'rejected',
  }).then((value) => {
    result.is = value
  })
  return {
    result: () => result.is,
    hasBegun: () => hasBegun,
    finish: async () => {
      resolve('served')
      await settled
    },
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('S117: requests in flight', () => {
  it('beyond the limit are rejected without being served', async () => {
    const serveInFlight = createRequestsInFlight(4)
    const requests = Array.from({ length: 6 }, () => openRequest(serveInFlight, 'a'))
    await settle()

    expect(requests.map(({ result }) => result())).toEqual([
      ...Array(4).fill('pending'),
      ...Array(2).fill('rejected'),
    ])
    expect(requests.map(({ hasBegun }) => hasBegun())).toEqual([
      ...Array(4).fill(true),
      ...Array(2).fill(false),
    ])
  })

  it('of a network with fewer replace the newest of the network with the most', async () => {
    const serveInFlight = createRequestsInFlight(8)
    const many = Array.from({ length: 8 }, () => openRequest(serveInFlight, 'many'))
    const few = Array.from({ length: 4 }, () => openRequest(serveInFlight, 'few'))
    await settle()

    expect(many.map(({ result }) => result())).toEqual([
      ...Array(6).fill('pending'),
      ...Array(2).fill('rejected'),
    ])
    expect(few.map(({ result }) => result())).toEqual([
      ...Array(2).fill('pending'),
      ...Array(2).fill('rejected'),
    ])
  })

  it('leave their places with their responses, also after a fault', async () => {
    const serveInFlight = createRequestsInFlight(2)
    const fails = () =>
      serveInFlight({
        path: () => ['a'],
        serve: () => Promise.reject(new Error('fault')),
        reject: () => 'rejected',
      })
    for (let index = 0; index < 3; index += 1) await expect(fails()).rejects.toThrow('fault')
    const [first, second] = [openRequest(serveInFlight, 'a'), openRequest(serveInFlight, 'a')]
    await second.finish()
    const third = openRequest(serveInFlight, 'a')
    await first.finish()
    const fourth = openRequest(serveInFlight, 'a')
    await settle()

    expect([first, second, third, fourth].map(({ result }) => result())).toEqual([
      'served',
      'served',
      'pending',
      'pending',
    ])
  })

  it('that were replaced do not take a place of others when their work ends', async () => {
    const serveInFlight = createRequestsInFlight(4)
    const [, , third, fourth] = Array.from({ length: 4 }, () => openRequest(serveInFlight, 'many'))
    const one = openRequest(serveInFlight, 'one')
    await fourth?.finish()
    const rest = [openRequest(serveInFlight, 'one'), openRequest(serveInFlight, 'other')]
    await settle()

    expect(third?.result()).toBe('pending')
    expect(fourth?.result()).toBe('rejected')
    expect(one.result()).toBe('pending')
    expect(rest.map(({ result }) => result())).toEqual(['rejected', 'rejected'])
  })
})
