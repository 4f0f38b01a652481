import { constants } from 'node:crypto'
import { connect as connectTcp, isIP, type LookupFunction } from 'node:net'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { builtIn } from './built-in.ts'

/** An ordinary chain of certificates has 3 to 6 KB. */
const maxHandshakeBytes = 16 * 1024

/**
 * Connects to a host over TLS. Ends a handshake with more bytes than an ordinary chain of
 * certificates has: the event loop verifies each of its signatures, and the host chooses the keys.
 * The `bytesRead` of the connection are those on the wire: records of one byte cost, too.
 */
export function connectTls(url: URL, lookup: LookupFunction): TLSSocket {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const tcp = connectTcp({ host, port: Number(url.port || 443), lookup })
  let remainingBytes = maxHandshakeBytes
  // TLS would read the bytes of a socket by itself, uncounted. It reads a stream by its chunks.
  const limited = new Duplex({
    read: () => tcp.resume(),
    write: (chunk, _, done) => tcp.write(chunk, done),
    final: (done) => tcp.end(done),
    destroy: (error, done) => {
      tcp.destroy()
      done(error)
    },
  })
  tcp.on('data', (chunk) => {
    remainingBytes -= chunk.length
    if (remainingBytes < 0) limited.destroy(new Error('the handshake has more than 16 KB'))
    else if (!limited.push(chunk)) tcp.pause()
  })
  tcp.once('end', () => limited.push(null))
  tcp.once('error', (error) => limited.destroy(error))
  tcp.once('close', () => limited.destroy())
  const tls = builtIn.tls.connect({
    socket: limited,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    ciphers: withoutDhe(builtIn.tls.DEFAULT_CIPHERS),
    // A further handshake could have any size.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
  tls.once('secureConnect', () => {
    remainingBytes = Number.POSITIVE_INFINITY
  })
  return Object.defineProperty(tls, 'bytesRead', { get: () => tcp.bytesRead })
}

/**
 * Removes the key exchange by Diffie-Hellman, because the host would choose the size of the group:
 * one of 10,000 bits holds the event loop for a second. The suites of TLS 1.3 have no such groups;
 * a list of these only would be left without any for TLS 1.2, which Node rejects.
 */
export const withoutDhe = (ciphers: string): string =>
  ciphers.split(':').some((suite) => suite !== '' && !suite.startsWith('TLS_'))
    ? `${ciphers}:!kDHE`
    : ciphers
