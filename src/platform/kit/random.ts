import { randomBytes, randomUUID } from 'node:crypto'
import { alphabet, generateRandomString } from 'oslo/crypto'

/** A source of unpredictable values. */
export interface Random {
  /** Returns a version 4 UUID: 122 random bits. */
  uuid(): string
  /** Returns `byteCount` random bytes in hexadecimal. */
  hex(byteCount: number): string
  /** Returns a decimal code with equally probable digits, including leading zeros. */
  digits(length: number): string
}

const decimalDigits = alphabet('0-9')

/** The operating system's generator. */
export const systemRandom: Random = {
  uuid: () => randomUUID(),
  hex: (byteCount) => randomBytes(byteCount).toString('hex'),
  digits: (length) => generateRandomString(length, decimalDigits),
}
