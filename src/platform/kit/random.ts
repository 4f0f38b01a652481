import { randomBytes, randomUUID } from 'node:crypto'
import { alphabet, generateRandomString } from 'oslo/crypto'

/** Where unpredictable values come from. */
export interface Random {
  /** A version 4 UUID: 122 random bits. */
  uuid(): string
  /** Hexadecimal text of `byteCount` random bytes. */
  hex(byteCount: number): string
  /** A decimal code, each digit equally likely, leading zeros kept. */
  digits(length: number): string
}

const decimalDigits = alphabet('0-9')

/** The operating system's generator. */
export const systemRandom: Random = {
  uuid: () => randomUUID(),
  hex: (byteCount) => randomBytes(byteCount).toString('hex'),
  digits: (length) => generateRandomString(length, decimalDigits),
}
