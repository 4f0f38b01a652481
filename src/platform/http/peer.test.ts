import { describe, expect, it } from 'vitest'
import { type PeerServer, peerOfRequest, peerOfServer, peerOfSocket } from './peer.ts'

const address = '203.0.113.7'

describe('S116: the peer of a socket', () => {
  it.each([
    ['that is connected', { remoteAddress: address, localAddress: '10.0.0.1' }, address],
    ['that its client has reset', { localAddress: '10.0.0.1', destroyed: false }, 'disconnected'],
    ['that is destroyed', { destroyed: true }, 'disconnected'],
    ['of the file system', { destroyed: false }, undefined],
    ['that is missing', null, undefined],
  ])('%s', (_, socket, peer) => {
    expect(peerOfSocket(socket)).toBe(peer)
  })
})

describe('S116: the peer of a request', () => {
  const reset = { localAddress: '10.0.0.1' }
  const headers = { 'x-forwarded-for': address }

  it.each([
    ['with a socket', { socket: { remoteAddress: address }, ip: '198.51.100.9' }, address],
    [
      'with a reset socket and an address of a header',
      { socket: reset, ip: address },
      'disconnected',
    ],
    ['with an address', { ip: address }, address],
    ['of srvx', { ip: undefined, runtime: { node: { req: { socket: reset } } } }, 'disconnected'],
    ['without any of them', { headers }, undefined],
  ])('%s', (_, request, peer) => {
    expect(peerOfRequest(request)).toBe(peer)
  })

  const request = new Request('http://a')
  it.each<[string, PeerServer, string | undefined]>([
    ['of Bun', { port: 80, requestIP: () => ({ address }) }, address],
    ['of Bun after a reset', { port: 80, requestIP: () => null }, 'disconnected'],
    ['of Bun on a socket of the file system', { requestIP: () => null }, undefined],
    ['of another server', {}, undefined],
  ])('%s', (_, server, peer) => {
    expect(peerOfServer(server, request)).toBe(peer)
  })
})
