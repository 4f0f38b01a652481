import { describe, expect, it } from 'vitest'
import { clientNetwork, fairnessPath, networksOf } from './client-networks.ts'
import { readIpAddress } from './ip-address.ts'

const networksAt = (text: string) => {
  const address = readIpAddress(text)
  return address === null ? null : networksOf(clientNetwork(address))
}
const keysAt = (text: string) => networksAt(text)?.map(({ key }) => key)

describe('S16: the networks of a client', () => {
  it.each([
    [
      '2001:db8:1:2345:6789::1',
      ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1::/48'],
    ],
    ['2001:db8:1:45::1', ['2001:db8:1:45::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
    ['2001:db8::1', ['2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0::/48']],
    ['203.0.113.7', ['203.0.113.7', '203.0.113.0/24']],
    ['::ffff:203.0.113.7', ['203.0.113.7', '203.0.113.0/24']],
    ['64:ff9b::203.0.113.7', ['203.0.113.7', '203.0.113.0/24']],
  ])('are, for %s, %j', (address, networks) => {
    expect(keysAt(address)).toEqual(networks)
  })

  it('are only the key if a client has no address', () => {
    for (const key of ['a'.repeat(64), 'unknown', 'subject 203.0.113.7'])
      expect(networksOf(key)).toEqual([{ key, limitFactor: 1 }])
  })

  it('have larger limits up to the /48, and none for a /24', () => {
    const factors = (address: string) => networksAt(address)?.map(({ limitFactor }) => limitFactor)

    expect(factors('2001:db8:1:2345::1')).toEqual([1, 8, 32])
    expect(factors('203.0.113.7')).toEqual([1, null])
  })

  it('are queued from the widest on', () => {
    expect(fairnessPath('203.0.113.7')).toEqual(['203.0.113.0/24', '203.0.113.7'])
  })
})
