import { base32 } from 'oslo/encoding'
import { generateHOTP } from 'oslo/otp'

/**
 * Returns a secret of this number of random bytes, in a form for typing: base32 without padding.
 */
export const newBase32Secret = (
  random: { hex(byteCount: number): string },
  byteCount: number,
): string => base32.encode(Buffer.from(random.hex(byteCount), 'hex'), { includePadding: false })

/**
 * Returns a function that computes the code of a counter.
 *
 * @param secret in base32, in letters of any case, with or without padding.
 * @see RFC 4226 §5.3
 */
export function hotpOf(secret: string, digits: number): (counter: number) => Promise<string> {
  const key = base32.decode(secret.toUpperCase(), { strict: false })
  return (counter) => generateHOTP(key, counter, digits)
}
