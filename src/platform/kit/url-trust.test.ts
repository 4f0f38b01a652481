import { createSocket } from 'node:dgram'
import type { ResolverOptions } from 'node:dns'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startDnsServer } from '../../../test/support/dns-server.ts'
import { type FetchOptions, safeFetch } from './safe-fetch.ts'
import { requireStorableUrl } from './url-trust.ts'

const original = { lookup: dns.lookup, Resolver: dns.Resolver }

const system = { lookup: vi.fn(), cancel: vi.fn(), dnsServer: '' }

class LocalResolver extends original.Resolver {
  constructor(options?: ResolverOptions) {
    super(options)
    this.setServers([system.dnsServer])
  }
  override cancel() {
    system.cancel()
    super.cancel()
  }
}

beforeAll(() => {
  Object.assign(dns, { lookup: system.lookup, Resolver: LocalResolver })
  syncBuiltinESMExports()
})
afterAll(() => {
  Object.assign(dns, original)
  syncBuiltinESMExports()
})

beforeEach(() => {
  system.lookup.mockReset().mockRejectedValue(new Error('no such name'))
  system.cancel.mockClear()
  system.dnsServer = '127.0.0.1:9'
})

const reasonOf = (url: string, options: FetchOptions): Promise<string> =>
  safeFetch(url, options).then(
    () => 'fetched',
    ({ reason }) => reason,
  )

/** Starts a DNS server that never responds. */
async function startSilentDnsServer() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  system.dnsServer = `127.0.0.1:${socket.address().port}`
  return { [Symbol.dispose]: () => void socket.close() }
}

describe('S142: the name of a URL from outside', () => {
  it('occupies no thread, and its lookup ends with the request', async () => {
    using _ = await startSilentDnsServer()
    const names = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.slow.example/`)

    const reasons = await Promise.all(
      names.map((url) => reasonOf(url, { trust: 'outside', timeoutMs: 80 })),
    )

    expect(reasons).toEqual(names.map(() => 'timed-out'))
    expect(system.lookup).not.toHaveBeenCalled()
    expect(system.cancel).toHaveBeenCalledTimes(names.length)
  })

  it('occupies no thread where the URL is stored', async () => {
    using _ = await startSilentDnsServer()

    await requireStorableUrl('https://slow.example/', 'outside')

    expect(system.lookup).not.toHaveBeenCalled()
    expect(system.cancel).toHaveBeenCalledTimes(1)
  })

  it('is rejected if DNS answers with a private address, and accepted with a public one', async () => {
    const privateDns = await startDnsServer(['10.0.0.1'])
    const publicDns = await startDnsServer(['93.184.216.34'])
    const url = 'https://client.example/'

    system.dnsServer = privateDns.address
    const reason = await reasonOf(url, { trust: 'outside' })
    await expect(requireStorableUrl(url, 'outside')).rejects.toThrow('is not permitted')
    system.dnsServer = publicDns.address
    await requireStorableUrl(url, 'outside')
    privateDns.close()
    publicDns.close()

    expect(reason).toBe('refused-url')
    expect(system.lookup).not.toHaveBeenCalled()
  })
})

it('resolves a name of the operator with the file of hosts', async () => {
  system.lookup.mockResolvedValue([{ address: '127.0.0.1', family: 4 }])

  expect(await reasonOf('http://intern.example:1/', { trust: 'operator' })).toBe('unreachable')
  expect(system.lookup).toHaveBeenCalledWith('intern.example', { all: true })
})
