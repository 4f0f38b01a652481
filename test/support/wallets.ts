import { generateKeyPairSync, sign } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58 } from '@scure/base'
import type { Chain } from '../../src/credentials/wallets/chain.ts'

/** A key on a chain. */
export interface Wallet {
  chain: Chain
  /** The address, in lower case where case is irrelevant. */
  address: string
  /** Signs a text as the wallets of the chain do. */
  signBytes(text: string | Uint8Array): Uint8Array
  /** Signs a text and returns the signature in its wire form. */
  sign(text: string): string
}

export const makeWallet = (chain: Chain): Wallet =>
  chain === 'solana' ? solanaWallet() : ethereumWallet()

function solanaWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const signBytes = (text: string | Uint8Array) =>
    new Uint8Array(sign(null, Buffer.from(text), privateKey))
  return {
    chain: 'solana',
    address: base58.encode(Buffer.from(x, 'base64url')),
    signBytes,
    sign: (text) => Buffer.from(signBytes(text)).toString('base64url'),
  }
}

function ethereumWallet(): Wallet {
  const { secretKey, publicKey } = secp256k1.keygen()
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  const signBytes = (text: string | Uint8Array) => {
    const bytes = Buffer.from(text)
    const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`)
    const [recovery = 0, ...rs] = secp256k1.sign(
      keccak_256(Buffer.concat([prefix, bytes])),
      secretKey,
      { prehash: false, format: 'recovered' },
    )
    return Uint8Array.of(...rs, recovery + 27)
  }
  return {
    chain: 'ethereum',
    address: hexadecimal(keccak_256(uncompressed.subarray(1)).subarray(-20)),
    signBytes,
    sign: (text) => hexadecimal(signBytes(text)),
  }
}

const hexadecimal = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

/** The fields of a message; null omits one. */
export interface MessageParts {
  domain?: string
  address?: string
  statement?: string
  uri?: string | null
  version?: string | null
  chainId?: string | null
  issuedAt?: string | null
  expirationTime?: string
  notBefore?: string
  /** Lines after the fields. */
  more?: readonly string[]
}

/** Returns a message as wallets write it, valid by default. */
export function walletMessage(
  { chain, address: ownAddress }: Pick<Wallet, 'chain' | 'address'>,
  issuedAt: Date,
  parts: MessageParts = {},
): string {
  const { domain = 'app.example.test', address = ownAddress, statement, more = [] } = parts
  const fields = {
    URI: parts.uri === undefined ? 'https://app.example.test/sign-in' : parts.uri,
    Version: parts.version === undefined ? '1' : parts.version,
    'Chain ID':
      parts.chainId === undefined ? (chain === 'solana' ? 'mainnet' : '1') : parts.chainId,
    Nonce: 'oBbLoEldZs',
    'Issued At': parts.issuedAt === undefined ? issuedAt.toISOString() : parts.issuedAt,
    'Expiration Time': parts.expirationTime ?? null,
    'Not Before': parts.notBefore ?? null,
  }
  return [
    `${domain} wants you to sign in with your ${chain === 'solana' ? 'Solana' : 'Ethereum'} account:`,
    address,
    '',
    ...(statement === undefined ? [] : [statement, '']),
    ...Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => `${key}: ${value}`),
    ...more,
  ].join('\n')
}
