import { describe, expect, it } from 'vitest'
import { systemRandom } from '../../platform/kit/random.ts'
import { findTotpStep, newTotpSecret, totpQrCode, totpUri } from './totp.ts'

/** `12345678901234567890`, the secret of the RFC's test vectors, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const at = (seconds: number) => new Date(seconds * 1000)
const find = (code: string, seconds: number, lastUsedStep: number | null = null) =>
  findTotpStep(secret, code, { now: at(seconds), lastUsedStep })

describe('a code of an app', () => {
  // The last six digits of appendix B of RFC 6238, for SHA-1.
  it.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_111_111_111, '050471', 37_037_037],
    [1_234_567_890, '005924', 41_152_263],
    [2_000_000_000, '279037', 66_666_666],
    [20_000_000_000, '353130', 666_666_666],
  ])('at second %i is %s', async (seconds, code, step) => {
    expect(await find(code, seconds)).toBe(step)
  })

  it('is accepted in its own step, the one before and the one after', async () => {
    const [step, code] = [37_037_037, '050471']
    const seconds = [-31, -30, -1, 0, 29, 30, 59, 60].map((offset) => step * 30 + offset)

    const found = await Promise.all(seconds.map((second) => find(code, second)))

    expect(found).toEqual([null, step, step, step, step, step, step, null])
  })

  it('is rejected after it, or a later one, was used', async () => {
    const step = 37_037_037
    const used = [null, step - 1, step, step + 1]

    const found = await Promise.all(used.map((last) => find('050471', step * 30, last)))

    expect(found).toEqual([step, step, null, null])
  })

  it.each(['', '50471', '0050471', '050472', '050471 ', 'abcdef', '٠٥٠٤٧١'])(
    'is not %j',
    async (code) => {
      expect(await find(code, 1_111_111_111)).toBeNull()
    },
  )
})

it('creates secrets of 160 bits, all different', () => {
  const secrets = Array.from({ length: 50 }, () => newTotpSecret(systemRandom))

  for (const one of secrets) expect(one).toMatch(/^[A-Z2-7]{32}$/)
  expect(new Set(secrets).size).toBe(secrets.length)
})

describe('the URI of a secret', () => {
  it('contains issuer and account, encoded so that apps display them correctly', () => {
    const uri = totpUri({ issuer: 'Acme & Söhne', user: 'ada+x@example.test' }, secret)

    expect(uri).toBe(
      'otpauth://totp/Acme%20%26%20S%C3%B6hne:ada%2Bx%40example.test' +
        `?algorithm=SHA1&digits=6&issuer=Acme%20%26%20S%C3%B6hne&period=30&secret=${secret}`,
    )
  })

  it('is rendered as an image that a data: URL contains unescaped', async () => {
    const svg = await totpQrCode(totpUri({ issuer: 'acme', user: 'ada@example.test' }, secret))

    expect(svg).toMatch(/^<svg .*<\/svg>$/s)
    expect(svg).not.toMatch(/[#%]/)
  })
})
