import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { ResolveName } from '../../src/platform/kit/url-trust.ts'

export interface DnsServer {
  /** The address and port. */
  address: string
  /** Resolves a name by a question to this server. */
  resolve: ResolveName
  /** The number of questions so far. */
  questions(): number
  close(): void
}

/**
 * Starts a DNS server on loopback that answers each question with the next list of IPv4 addresses,
 * and the last list ever after. The lifetime of an answer is 0, as for DNS rebinding.
 *
 * @see RFC 1035 §4.1
 */
export async function startDnsServer(...answers: string[][]): Promise<DnsServer> {
  const socket = createSocket('udp4')
  let questions = 0
  socket.on('message', (question, { port, address }) => {
    const addresses = answers[Math.min(questions, answers.length - 1)] ?? []
    questions += 1
    socket.send(answerTo(question, addresses), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 1_000, tries: 1 })
  const address = `127.0.0.1:${socket.address().port}`
  resolver.setServers([address])
  return {
    address,
    resolve: async (host) =>
      (await resolver.resolve4(host)).map((address) => ({ address, family: 4 })),
    questions: () => questions,
    close: () => socket.close(),
  }
}

const headerBytes = 12

function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, headerBytes))
  // A response without an error, to one question, with these answers and no further records.
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const endOfName = question.indexOf(0, headerBytes)
  const requested = question.subarray(headerBytes, endOfName + 5)
  const records = addresses.map((address) =>
    // The name of the question, type A, class IN, lifetime 0, four bytes.
    Buffer.from([
      0xc0,
      headerBytes,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...address.split('.').map(Number),
    ]),
  )
  return Buffer.concat([header, requested, ...records])
}
