import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import type { WalletMessage } from './read-wallet-message.ts'

type Signed = Pick<WalletMessage, 'text' | 'address' | 'domain'>

/**
 * Whether an Ed25519 signature is by the key that the address in a message is: over the message as it is, or in the
 * envelope that keeps it apart from transactions.
 *
 * @see Solana, off-chain message signing
 */
export function isSignedBySolana(message: Signed, signature: Uint8Array): boolean {
  const publicKey = publicKeyIn(message.address)
  if (publicKey === null) return false
  const key = keyObject(publicKey)
  const bytes = Buffer.from(message.text)
  const isSigned = (data: Uint8Array): boolean => verify(null, data, key, signature)
  return isSigned(bytes) || isSigned(envelope(bytes, message.domain, publicKey))
}

const publicKeyBytes = 32

/**
 * Null for what looks like an address and is none. So are the points of small order: anybody can sign for them, and
 * `1111…` is one. OpenSSL refuses them from 3.5 on alone.
 */
function publicKeyIn(address: string): Uint8Array | null {
  try {
    const bytes = base58.decode(address)
    if (bytes.length !== publicKeyBytes) return null
    return ed25519.Point.fromBytes(bytes).isSmallOrder() ? null : bytes
  } catch {
    return null
  }
}

function keyObject(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

const domainBytes = 32

function envelope(message: Buffer, domain: string, publicKey: Uint8Array): Buffer {
  const paddedDomain = Buffer.alloc(domainBytes)
  paddedDomain.write(domain)
  const length = Buffer.alloc(2)
  length.writeUInt16LE(message.length)
  return Buffer.concat([
    Buffer.from('\xffsolana offchain\0', 'latin1'),
    paddedDomain,
    // Form of the message, and how many sign it.
    Buffer.of(0, 1),
    publicKey,
    length,
    message,
  ])
}
