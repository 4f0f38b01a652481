import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Chain } from './chain.ts'
import type { WalletMessage } from './read-wallet-message.ts'

/**
 * Reads a signature in its wire form: for Solana 64 bytes in base64 of either alphabet, for
 * Ethereum 65 bytes in hexadecimal digits.
 *
 * @throws AuthError `validation_failed` (400).
 */
export const readSignature = (chain: Chain, text: string): Uint8Array =>
  chain === 'solana' ? readBase64(text) : readHexadecimal(text)

/** 64 bytes, with or without padding. */
const base64 = /^[A-Za-z0-9+/_-]{86}(?:==)?$/

function readBase64(text: string): Uint8Array {
  if (text.length !== 86 && text.length !== 88) {
    throw validationFailed('signature must be 64 bytes encoded as base64 with or without padding')
  }
  if (!base64.test(text)) {
    throw validationFailed('signature does not contain valid base64 characters')
  }
  return Buffer.from(text, 'base64')
}

function readHexadecimal(text: string): Uint8Array {
  const [, digits] = /^(?:0x)?([0-9A-Fa-f]{130})$/.exec(text) ?? []
  if (digits === undefined) {
    throw validationFailed(
      'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string',
    )
  }
  return Buffer.from(digits, 'hex')
}

/**
 * Returns whether the key of the address in a message signed it. Loads the libraries of a chain at
 * their first use.
 */
export async function isSignedByAddress(
  message: WalletMessage,
  signature: Uint8Array,
): Promise<boolean> {
  if (message.chain === 'solana') {
    const { isSignedBySolana } = await import('./solana-signature.ts')
    return isSignedBySolana(message, signature)
  }
  const { isSignedByEthereum } = await import('./ethereum-signature.ts')
  return isSignedByEthereum(message, signature)
}
