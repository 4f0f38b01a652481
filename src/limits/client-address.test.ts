import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { disconnectedPeer } from '../platform/http/peer.ts'
import { clientNetwork } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { readIpAddress } from '../platform/kit/ip-address.ts'
import { type ForwardingTrust, findClient } from './client-address.ts'

const nothingDeclared: ForwardingTrust = { header: null, proxyHops: 0, forwardedFor: false }

const client = (
  peer: string | null,
  headers: Record<string, string> = {},
  trust = nothingDeclared,
) => {
  const header = (name: string) => headers[name.toLowerCase()] ?? null
  const { ip, key } = findClient({ peer, header }, trust)
  return { ip, key: key() }
}

describe('without a declared proxy', () => {
  it('trusts the peer only, whatever headers contain', () => {
    const headers = {
      'x-forwarded-for': '198.51.100.9',
      'svc-forwarded-for': '198.51.100.9',
      'x-real-ip': '198.51.100.9',
      forwarded: 'for=198.51.100.9',
    }

    expect(client('203.0.113.7', headers)).toEqual({ ip: '203.0.113.7', key: '203.0.113.7' })
  })

  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '172.31.0.1', '100.64.0.1', '::1', 'fd00::1'])(
    'stores the private peer %s and does not distinguish clients behind it',
    (peer) => {
      expect(client(peer)).toEqual({ ip: readIpAddress(peer)?.text, key: null })
    },
  )

  it('S116: counts all disconnected peers as one client, unless a header identifies them', () => {
    const trust = { ...nothingDeclared, header: 'x-forwarded-for' }

    expect(client(disconnectedPeer)).toEqual({ ip: null, key: 'unknown' })
    expect(client(disconnectedPeer, { 'x-forwarded-for': '203.0.113.7' }, trust)).toEqual({
      ip: '203.0.113.7',
      key: '203.0.113.7',
    })
  })

  it('ignores a peer that is no address', () => {
    expect(client('not an address')).toEqual({ ip: null, key: null })
    expect(client(null)).toEqual({ ip: null, key: null })
  })
})

describe('with a declared header', () => {
  const trust = { ...nothingDeclared, header: 'X-Client-Key', forwardedFor: true }

  it('takes its first value, whether or not it is an address', () => {
    const found = (value: string) => client('10.0.0.1', { 'x-client-key': value }, trust)

    expect(found('198.51.100.9, 10.0.0.2')).toEqual({ ip: '198.51.100.9', key: '198.51.100.9' })
    expect(found('[2001:db8::1]:443')).toEqual({ ip: '2001:db8::1', key: '2001:db8:0:0::/64' })
    expect(found('tenant-7')).toEqual({ ip: '10.0.0.1', key: sha256Hex('tenant-7') })
    expect(found('k'.repeat(8192)).key).toHaveLength(64)
  })

  it('takes the forwarded address where the header is missing', () => {
    const headers = { 'svc-forwarded-for': '203.0.113.77, 10.0.0.1' }

    expect(client('10.0.0.1', headers, trust).key).toBe('203.0.113.77')
    expect(client('10.0.0.1', { 'sb-forwarded-for': '203.0.113.78' }, trust).ip).toBe(
      '203.0.113.78',
    )
  })

  it('counts an unusable header for the peer, and a missing one as without a declared header', () => {
    const nonsense = [
      { 'svc-forwarded-for': 'nonsense' },
      { 'svc-forwarded-for': '203.0.113.77:4711' },
      { 'x-client-key': '' },
      { 'x-client-key': ' , tenant-7' },
    ]
    for (const headers of nonsense) {
      expect(client('10.0.0.1', headers, trust)).toEqual({ ip: '10.0.0.1', key: '10.0.0.1' })
      expect(client(null, headers, trust).key).toBe('unknown')
    }
    expect(client('10.0.0.1', {}, trust).key).toBeNull()
    expect(client('203.0.113.9', {}, trust).key).toBe('203.0.113.9')
  })
})

describe('H25: a list that proxies append to', () => {
  const through = (header: string, list: string, proxyHops = 0) =>
    client('10.0.0.1', { [header.toLowerCase()]: list }, { ...nothingDeclared, header, proxyHops })
      .ip

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1,203.0.113.7,10.0.0.2, 192.168.3.4', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7, fd00::1, ::ffff:10.0.0.2', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1:51234', '2001:db8::1'],
    ['2001:DB8:0:0:0:0:0:1:443', '2001:db8::1'],
    ['"[2001:db8::1]:4711"', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:4711', '203.0.113.7'],
    [', 203.0.113.7 ,', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['198.51.100.1, unknown', '10.0.0.1'],
    ['unknown', '10.0.0.1'],
    ['', '10.0.0.1'],
    [' , ,', '10.0.0.1'],
    ['10.9.9.9, 10.0.0.2', '10.0.0.2'],
  ])('X-Forwarded-For: %j comes from %s', (list, ip) => {
    expect(through('X-Forwarded-For', list)).toBe(ip)
    expect(through('X-Original-Forwarded-For', list)).toBe(ip)
  })

  it.each([
    ['198.51.100.1, 203.0.113.7, 192.0.2.8', 1, '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7, 192.0.2.8, 10.0.0.2', 1, '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7, 10.0.0.3, 192.0.2.9, 192.0.2.8', 2, '203.0.113.7'],
    ['192.0.2.8', 1, '192.0.2.8'],
    ['10.0.0.5, 10.0.0.4', 1, '10.0.0.5'],
  ])('%s, past %i further proxies, comes from %s', (list, hops, ip) => {
    expect(through('X-Forwarded-For', list, hops)).toBe(ip)
  })

  it.each([
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=198.51.100.1, for=203.0.113.7;proto=https;by=10.0.0.1', '203.0.113.7'],
    ['for=198.51.100.1;host="a;b", proto=http; FOR=203.0.113.7:80 ;', '203.0.113.7'],
    ['for=203.0.113.7, for=10.0.0.2', '203.0.113.7'],
    ['for="203.0.113.7:_port"', '203.0.113.7'],
    [String.raw`for="\2\03.0.113.7"`, '203.0.113.7'],
    // The text after an unclosed quote, or before the end of one, is read as an element.
    ['for="198.51.100.1, for=203.0.113.7', '203.0.113.7'],
    ['for=203.0.113.7;host="a, for=198.51.100.1"', '10.0.0.1'],
    ['for=203.0.113.7;host="a, for=198.51.100.1;x="', '10.0.0.1'],
    [String.raw`for=203.0.113.7;host="a, for=198.51.100.1;x=\"b"`, '10.0.0.1'],
    ['for=unknown', '10.0.0.1'],
    ['for=198.51.100.1, for=_hidden', '10.0.0.1'],
    ['for=198.51.100.1, proto=https', '10.0.0.1'],
    ['for=198.51.100.1;for=203.0.113.7', '10.0.0.1'],
    ['203.0.113.7', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('Forwarded: %j comes from %s', (list, ip) => {
    expect(through('Forwarded', list)).toBe(ip)
  })

  it('is read up to 50 entries of 500 characters', () => {
    const many = `198.51.100.1${', 10.0.0.2'.repeat(2000)}`
    const long = `for=203.0.113.7;host="${' '.repeat(8000)}"`

    expect([through('X-Forwarded-For', many), through('Forwarded', long)]).toEqual([
      '10.0.0.2',
      '10.0.0.1',
    ])
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

it('T39, H25: counts 10,000 lists that end in spellings of one client, ports and forgeries too, as one', () => {
  const group = fc.nat({ max: 0xffff })
  const address = fc.oneof(
    fc.constantFrom(
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '64:ff9b::203.0.113.7',
      '::FFFF:CB00:7107',
    ),
    fc.constant('0:0:0:0:0:ffff:cb00:7107'),
  )
  const port = fc.option(fc.nat({ max: 65_535 }), { nil: null })
  const written = fc.tuple(address, port).map(([text, at]) => {
    if (at === null) return text.includes(':') ? `[${text}]` : text
    return text.includes(':') ? `[${text}]:${at}` : `${text}:${at}`
  })
  const near = group.map((one) => `10.${one >> 8}.${one & 255}.1`)
  const forged = fc.oneof(
    ...[fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('unknown'), fc.constant('for="')],
    fc.constant('for=1.1.1.1;x="'),
  )
  const list = fc.tuple(
    fc.array(forged, { maxLength: 3 }),
    written,
    fc.array(near, { maxLength: 3 }),
  )
  const keys = new Set<string | null>()
  const keyOf = (header: string, text: string) =>
    client('10.0.0.1', { [header.toLowerCase()]: text }, { ...nothingDeclared, header }).key

  for (const [sent, proxied, behind] of fc.sample(list, { numRuns: 5_000, seed: 25 })) {
    keys.add(keyOf('X-Forwarded-For', [...sent, proxied, ...behind].join(', ')))
    const pairs = [proxied, ...behind].map((node) => `for="${node}";proto=https`)
    keys.add(keyOf('Forwarded', [...sent, ...pairs].join(',')))
  }

  expect(keys).toEqual(new Set(['203.0.113.7']))
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
