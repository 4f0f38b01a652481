import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import type { WalletMessage } from './read-wallet-message.ts'

type Signed = Pick<WalletMessage, 'text' | 'address' | 'domain'>

/**
 * Returns whether an Ed25519 signature is by the key of the address in a message: over the message
 * itself, or over the envelope that distinguishes it from transactions.
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
 * Returns null for an invalid address, and for a point of small order such as `1111…`, for which
 * any client can sign. OpenSSL rejects these only since 3.5.
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
    // The format of the message, and the number of signers.
    Buffer.of(0, 1),
    publicKey,
    length,
    message,
  ])
}
