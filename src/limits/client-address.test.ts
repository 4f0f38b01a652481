import { describe, expect, it } from 'vitest'
import { clientNetwork, readIpAddress } from '../kit/ip-address.ts'
import { findClient } from './client-address.ts'

const nothingDeclared = { header: null, forwardedFor: false }

const client = (
  peer: string | null,
  headers: Record<string, string> = {},
  trust = nothingDeclared as { header: string | null; forwardedFor: boolean },
) => {
  const header = (name: string) => headers[name.toLowerCase()] ?? null
  const { ip, key } = findClient({ peer, header }, trust)
  return { ip, key: key() }
}

describe('without a declared proxy', () => {
  it('believes the peer alone, whatever headers say', () => {
    const headers = {
      'x-forwarded-for': '198.51.100.9',
      'svc-forwarded-for': '198.51.100.9',
      'x-real-ip': '198.51.100.9',
      forwarded: 'for=198.51.100.9',
    }

    expect(client('203.0.113.7', headers)).toEqual({ ip: '203.0.113.7', key: '203.0.113.7' })
  })

  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '172.31.0.1', '100.64.0.1', '::1', 'fd00::1'])(
    'notes the private peer %s and does not tell clients behind it apart',
    (peer) => {
      expect(client(peer)).toEqual({ ip: readIpAddress(peer)?.text, key: null })
    },
  )

  it('knows nothing of what is no address', () => {
    expect(client('not an address')).toEqual({ ip: null, key: null })
    expect(client(null)).toEqual({ ip: null, key: null })
  })
})

describe('with a declared header', () => {
  const trust = { header: 'X-Client-Key', forwardedFor: true }

  it('takes its first value, an address or not', () => {
    const found = (value: string) => client('10.0.0.1', { 'x-client-key': value }, trust)

    expect(found('198.51.100.9, 10.0.0.2')).toEqual({ ip: '198.51.100.9', key: '198.51.100.9' })
    expect(found('tenant-7')).toEqual({ ip: '10.0.0.1', key: 'tenant-7' })
  })

  it('takes the forwarded address where the header is missing', () => {
    const headers = { 'svc-forwarded-for': '203.0.113.77, 10.0.0.1' }

    expect(client('10.0.0.1', headers, trust).key).toBe('203.0.113.77')
    expect(client('10.0.0.1', { 'sb-forwarded-for': '203.0.113.78' }, trust).ip).toBe(
      '203.0.113.78',
    )
    expect(client('10.0.0.1', { 'svc-forwarded-for': 'nonsense' }, trust).key).toBeNull()
  })
})

it('T39: counts 10,000 spellings of one IPv6 network, and of one IPv4 address, as one', () => {
  const group = (value: number) => value.toString(16)
  const spellings = Array.from({ length: 10_000 }, (_, index) => {
    const tail = `${group(index % 65_536)}:${group((index * 7) % 65_536)}`
    const text = `2001:db8:0:${index % 2 ? '1' : '0001'}:0:0:${tail}`
    return index % 3 === 0 ? text.toUpperCase() : `${text}%eth${index}`
  })
  const v4 = ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:CB00:7107', '0:0:0:0:0:ffff:203.0.113.7']

  const keys = (texts: string[]) => new Set(texts.map((text) => client(text).key))

  expect(keys(spellings)).toEqual(new Set(['2001:db8:0:1::/64']))
  expect(keys(v4)).toEqual(new Set(['203.0.113.7']))
})

it.each([
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
])('%s is in %s', (text, network) => {
  const address = readIpAddress(text)

  expect(address && clientNetwork(address)).toBe(network)
})
