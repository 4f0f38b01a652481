import { createHash, createHmac } from 'node:crypto'

interface CountedToken {
  sessionId: string
  counter: number
  /** The session's own key. */
  key: Buffer
}

/**
 * Creates a counter-based refresh token of the other service from the specification (spec 3 §11.3),
 * not with the code of `src/`, so that both are compared.
 */
export function createRefreshToken({ sessionId, counter, key }: CountedToken): string {
  const varint: number[] = []
  let rest = BigInt(counter)
  while (rest >= 128n) {
    varint.push(Number((rest & 127n) | 128n))
    rest >>= 7n
  }
  varint.push(Number(rest))
  const body = Buffer.concat([
    Buffer.from([0]),
    Buffer.from(sessionId.replaceAll('-', ''), 'hex'),
    Buffer.from(varint),
  ])
  const signature = createHmac('sha256', key).update(body).digest().subarray(0, 16)
  const signed = Buffer.concat([body, signature])
  const checksum = createHash('sha256').update(signed).digest().subarray(0, 4)
  return Buffer.concat([signed, checksum]).toString('base64url')
}
