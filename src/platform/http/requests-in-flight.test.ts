import { describe, expect, it } from 'vitest'
import { createReceivingBodies } from './receiving-bodies.ts'
import { createRequestsInFlight, type RequestsInFlight } from './requests-in-flight.ts'

/** Returns a request that is served until `finish` is called. */
function openRequest(serveInFlight: RequestsInFlight, network: string) {
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
    const serveInFlight = createRequestsInFlight(4, createReceivingBodies())
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
    const serveInFlight = createRequestsInFlight(8, createReceivingBodies())
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
    const serveInFlight = createRequestsInFlight(2, createReceivingBodies())
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
    const serveInFlight = createRequestsInFlight(4, createReceivingBodies())
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

  it('are replaced up to half of the limit, until the work of replaced ones has ended', async () => {
    const serveInFlight = createRequestsInFlight(8, createReceivingBodies())
    const open = (network: string) => openRequest(serveInFlight, network)
    const many = Array.from({ length: 8 }, () => open('many'))
    const first = ['a', 'b', 'c'].map(open)
    await settle()
    const replaced = many.filter(({ result }) => result() === 'rejected')
    for (const one of first) await one.finish()
    for (let index = 0; index < 3; index += 1) open('many')

    const [fourth, fifth] = [open('d'), open('e')]
    await settle()
    await replaced[0]?.finish()
    const sixth = open('f')
    await settle()

    expect(replaced).toHaveLength(3)
    expect([fourth, fifth, sixth].map(({ result }) => result())).toEqual([
      'pending',
      'rejected',
      'pending',
    ])
  })

  describe('while no network has more than its share', () => {
    /** Fills the limit with requests of networks `n0`, `n1` and so on. */
    const fill = (serveInFlight: RequestsInFlight, count: number) =>
      Array.from({ length: count }, (_, index) => openRequest(serveInFlight, `n${index}`))

    it('the first one of a network replaces that with the oldest body of any', async () => {
      const receiving = createReceivingBodies()
      const serveInFlight = createRequestsInFlight(4, receiving)
      fill(serveInFlight, 4)
      const rejected: string[] = []
      for (const client of ['198.51.100.1', '203.0.113.1'])
        receiving.add(client, () => rejected.push(client))

      const first = openRequest(serveInFlight, 'other')
      await settle()

      expect(rejected).toEqual(['198.51.100.1'])
      expect(first.result()).toBe('pending')
    })

    it('others replace a body of their own network only', async () => {
      const receiving = createReceivingBodies()
      const serveInFlight = createRequestsInFlight(4, receiving)
      fill(serveInFlight, 2)
      const own = '203.0.113.0/24'
      for (const network of [own, 'other']) openRequest(serveInFlight, network)
      const rejected: string[] = []
      receiving.add('198.51.100.1', () => rejected.push('of another network'))

      const without = openRequest(serveInFlight, own)
      receiving.add('203.0.113.1', () => rejected.push('of the own network'))
      const withOne = openRequest(serveInFlight, own)
      await settle()

      expect(rejected).toEqual(['of the own network'])
      expect([without.result(), withOne.result()]).toEqual(['rejected', 'pending'])
    })

    it('clients that cannot be distinguished replace the oldest body', async () => {
      const receiving = createReceivingBodies()
      const serveInFlight = createRequestsInFlight(4, receiving)
      Array.from({ length: 4 }, () => openRequest(serveInFlight, ''))
      let isRejected = false
      const remove = receiving.add(null, () => {})
      receiving.add(null, () => {
        isRejected = true
      })
      remove()

      const one = openRequest(serveInFlight, '')
      const other = openRequest(serveInFlight, '')
      await settle()

      expect(isRejected).toBe(true)
      expect([one.result(), other.result()]).toEqual(['pending', 'rejected'])
    })
  })
})
