import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { WalletMessage } from './read-wallet-message.ts'

type Signed = Pick<WalletMessage, 'text' | 'address'>

/**
 * Returns whether a signature of 65 bytes (r, s, v) is over a personal message, by the key of the
 * address in it.
 *
 * @see EIP-191
 */
export function isSignedByEthereum({ text, address }: Signed, signature: Uint8Array): boolean {
  const publicKey = recoverPublicKey(personalHash(text), signature)
  return publicKey !== null && addressOf(publicKey) === address.toLowerCase()
}

function personalHash(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return keccak_256(Buffer.concat([prefix(bytes.length), bytes]))
}

const prefix = (length: number): Buffer => Buffer.from(`\x19Ethereum Signed Message:\n${length}`)

/** Returns the public key without the byte of its encoding; null for an invalid signature. */
function recoverPublicKey(hash: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const v = signature[64] ?? 0
  try {
    return secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
      .addRecoveryBit(v >= 27 ? v - 27 : v)
      .recoverPublicKey(hash)
      .toBytes(false)
      .subarray(1)
  } catch {
    return null
  }
}

const addressOf = (publicKey: Uint8Array): string =>
  `0x${Buffer.from(keccak_256(publicKey).subarray(-20)).toString('hex')}`
