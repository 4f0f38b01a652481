import { describe, expect, it } from 'vitest'
import { createConnectionRate } from './connection-rate.ts'

/** Returns how many of a number of connections are accepted at one moment. */
function countAccepted(
  rate: ReturnType<typeof createConnectionRate>,
  clientOf: (index: number) => string,
  count: number,
  nowMs = 0,
): number {
  return Array.from({ length: count }, (_, index) => rate.admits(clientOf(index), nowMs)).filter(
    Boolean,
  ).length
}

describe('S33: clients that open connections one after another', () => {
  it("open half of the server's connections at once, and a tenth of that per second", () => {
    const rate = createConnectionRate(1_000)
    const client = () => '192.0.2.1'

    expect(countAccepted(rate, client, 2_000)).toBe(500)
    expect(countAccepted(rate, client, 2_000, 1_000)).toBe(50)
    expect(countAccepted(rate, client, 2_000, 11_000)).toBe(500)
  })

  it.each([
    ['/56', (index: number) => `2001:db8:bad:${(index & 0xff).toString(16)}::/64`, 625],
    ['/48', (index: number) => `2001:db8:bad:${index.toString(16)}::/64`, 750],
  ])('open no more from a %s that contains many of their networks', (_, clientOf, most) => {
    expect(countAccepted(createConnectionRate(1_000), clientOf, 5_000)).toBe(most)
  })

  it('do not exclude other clients', () => {
    const rate = createConnectionRate(1_000)
    countAccepted(rate, () => '192.0.2.1', 5_000)
    countAccepted(rate, (index) => `2001:db8:bad:${index.toString(16)}::/64`, 5_000)

    expect(countAccepted(rate, (index) => `203.0.113.${index}`, 50)).toBe(50)
    expect(countAccepted(rate, () => '2001:db8:1:1::/64', 50)).toBe(50)
  })

  it('are not limited by their /24, which may contain thousands of customers, while the server has free places', () => {
    const rate = createConnectionRate(1_000)
    const clientOf = (index: number) => `192.0.2.${index & 0xff}`

    expect(countAccepted(rate, clientOf, 1_000)).toBe(1_000)
    expect(countAccepted(rate, clientOf, 5_000)).toBe(625)
    expect(countAccepted(rate, () => '203.0.113.1', 50)).toBe(50)
  })

  it('open a hundred at once if the server has a low limit', () => {
    expect(countAccepted(createConnectionRate(8), () => '192.0.2.1', 500)).toBe(100)
  })
})
