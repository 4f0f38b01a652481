import { timingSafeEqual } from 'node:crypto'
import type { HashScheme } from './scheme.ts'

/** `pbkdf2_sha256$1200000$salt$key`, the key in base64. */
const form = /^pbkdf2_(sha1|sha256)\$([1-9]\d{0,6})\$([!-#%-~]{1,64})\$([A-Za-z0-9+/]+={0,2})$/

/** The maximum, which takes seconds. Django 6 uses 1,200,000. */
const maxIterations = 5_000_000
/** The iterations above which a verification is costly. */
const costlyIterations = 2_000_000

const keyBytes = { sha1: 20, sha256: 32 }

interface Parameters {
  digest: keyof typeof keyBytes
  iterations: number
  salt: string
  expected: Buffer
}

/** The PBKDF2 of Django, with SHA-256 or SHA-1. @see RFC 8018 §5.2 */
export const djangoPbkdf2: HashScheme = {
  accepts: (passwordHash) => parse(passwordHash) !== null,
  kindOf: (passwordHash) => passwordHash.split('$').slice(0, 2).join(' '),
  isCostly: (passwordHash) => (parse(passwordHash)?.iterations ?? 0) > costlyIterations,
  verify: async (compute, passwordHash, password) => {
    const parameters = parse(passwordHash)
    if (!parameters) return false
    const { digest, iterations, salt, expected } = parameters
    const { value: found } = await compute(
      'derivePbkdf2Key',
      password,
      salt,
      iterations,
      expected.length,
      digest,
    )
    return timingSafeEqual(found, expected)
  },
}

/** Returns null for another form, or a cost above the maximum. */
function parse(passwordHash: string): Parameters | null {
  const [, digest, iterations, salt, key] = form.exec(passwordHash) ?? []
  if (digest !== 'sha1' && digest !== 'sha256') return null
  const expected = Buffer.from(key ?? '', 'base64')
  if (expected.length !== keyBytes[digest] || Number(iterations) > maxIterations) return null
  return { digest, iterations: Number(iterations), salt: salt ?? '', expected }
}
