import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from 'node:net'
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { type ServerAnswer, startWebServer } from '../../../test/support/web-server.ts'
import { connectTls, withoutDhe } from './connect-tls.ts'

const authorities = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...authorities, selfSigned.cert]))
afterAll(() => setDefaultCACertificates(authorities))

const loopback: LookupFunction = (_host, { all }, callback) => {
  if (all) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

/** Starts a server with this number of certificates of about 400 bytes. */
const serveChain = (length: number, answer: ServerAnswer) =>
  startWebServer(answer, { ...selfSigned, cert: selfSigned.cert.repeat(length) })

/** Sends a request as `safeFetch` does. */
async function send(port: number, body = ''): Promise<string> {
  const url = new URL(`https://hook.example:${port}/`)
  const sent = request(url, { method: 'POST', createConnection: () => connectTls(url, loopback) })
  sent.end(body)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  return Buffer.concat((await response?.toArray()) ?? []).toString()
}

/** Returns the cipher suites of a ClientHello. @see RFC 8446 §4.1.2 */
function suitesOf(hello: Buffer): number[] {
  // The record, the header, the version and the random value precede the session id.
  const begin = 5 + 4 + 2 + 32
  const at = begin + 1 + hello.readUInt8(begin)
  const count = hello.readUInt16BE(at) / 2
  return Array.from({ length: count }, (_, index) => hello.readUInt16BE(at + 2 + 2 * index))
}

/** Suites of DHE with RSA: AES of CBC and GCM, and ChaCha20. */
const finiteField = new Set([0x33, 0x39, 0x67, 0x6b, 0x9e, 0x9f, 0xccaa])

describe('a connection over TLS', () => {
  it('S142: fails if the handshake has more than 16 KB', async () => {
    await using ordinary = await serveChain(15, (response) => response.end('safe'))
    await using large = await serveChain(60, (response) => response.end('safe'))

    expect(await send(ordinary.port)).toBe('safe')
    await expect(send(large.port)).rejects.toThrow('the handshake has more than 16 KB')
    expect(large.heard).toEqual([])
  })

  it('sends and receives bodies of 1 MiB', async () => {
    await using server = await serveChain(1, (response, { text }) => response.end(text))
    const body = 'x'.repeat(1024 * 1024)

    expect(await send(server.port, body)).toBe(body)
  })

  it('S142: counts the bytes on the wire, since each record of one byte is decrypted', async () => {
    const server = createServer(selfSigned).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.once('secureConnection', async (accepted) => {
      for (let sent = 0; sent < 100; sent += 1)
        await new Promise((resolve) => accepted.write('x', resolve))
      accepted.end()
    })
    const socket = connectTls(new URL(`https://hook.example:${port}/`), loopback)
    const content = Buffer.concat(await socket.toArray())

    expect(content).toHaveLength(100)
    expect(socket.bytesRead).toBeGreaterThan(20 * 100)
    server.close()
  })

  it('S142: offers no key exchange in a group of which the host chooses the size', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const connecting = once(server, 'connection')
    const socket = connectTls(new URL(`https://hook.example:${port}/`), loopback)
    socket.on('error', () => {})
    const [accepted] = await connecting
    const [hello]: Buffer[] = await once(accepted, 'data')
    socket.destroy()
    server.close()

    const suites = suitesOf(hello ?? Buffer.alloc(0))
    expect(suites).toContain(0xc02f)
    expect(suites.filter((one) => finiteField.has(one))).toEqual([])
  })

  it('closes with its stream', async () => {
    const server = createServer(selfSigned).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const connecting = once(server, 'secureConnection')
    const socket = connectTls(new URL(`https://hook.example:${port}/`), loopback)
    await once(socket, 'secureConnect')
    const [accepted] = await connecting
    const closed = once(accepted, 'close')

    socket.destroy()

    await closed
    server.close()
  })

  it('fails if the other side closes it in the handshake', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.end()))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')

    const failing = send((server.address() as AddressInfo).port)

    await expect(failing).rejects.toThrow()
    server.close()
  })
})

describe('the suites of a connection', () => {
  it.each([
    DEFAULT_CIPHERS,
    'TLS_AES_256_GCM_SHA384',
    'TLS_AES_256_GCM_SHA384:',
    'TLS_AES_256_GCM_SHA384:ECDHE-RSA-AES128-GCM-SHA256',
  ])('are valid for the list %s of the process', (ciphers) => {
    expect(() => createSecureContext({ ciphers: withoutDhe(ciphers) })).not.toThrow()
  })
})
