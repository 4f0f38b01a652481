import { createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { signJws } from '../../platform/kit/jws.ts'
import { configuredKeyRing } from './key-ring.ts'
import { requireAudience, verifyAccessToken } from './verify-access-token.ts'

const secret = 'a secret of at least thirty-two bytes'
const now = new Date('2026-03-01T12:00:00.500Z')
const second = Math.floor(now.getTime() / 1000)
const key = { algorithm: 'HS256', key: createSecretKey(secret, 'utf8') } as const

const ring = configuredKeyRing({ secrets: [secret], keys: null, keyId: null })
if (!ring) throw new Error('no key is configured')

const sign = (claims: object, header: Record<string, unknown> = { typ: 'JWT' }) =>
  signJws(key, header, claims)

/** Returns the claims of a token, or code, status and message of the error. */
async function judge(token: string, issuer: string | null = null): Promise<object> {
  try {
    return await verifyAccessToken(ring as never, token, { now, issuer })
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return { code: error.code, status: error.status, message: error.message }
  }
}

const refused = (detail: string) => ({
  code: 'bad_jwt',
  status: 403,
  message: expect.stringContaining(detail),
})

describe('lifetime', () => {
  it.each([
    ['no limits', {}],
    ['an end in the next second', { exp: second + 1 }],
    ['a begin in this second', { nbf: second }],
    ['a time of issue in the future', { iat: second + 3600 }],
  ])('accepts a token with %s', async (_case, claims) => {
    expect(await judge(await sign({ sub: 'ada', ...claims }))).toEqual({ sub: 'ada', ...claims })
  })

  it.each([
    ['that ends now', { exp: second + 0.5 }, 'token is expired'],
    ['that ended in this second', { exp: second }, 'token is expired'],
    ['that ended long ago', { exp: 1 }, 'token is expired'],
    ['whose end is text', { exp: String(second + 60) }, 'token is expired'],
    ['whose end is null', { exp: null }, 'token is expired'],
    ['that begins in the next second', { nbf: second + 1 }, 'token is not valid yet'],
    ['whose begin is text', { nbf: '0' }, 'token is not valid yet'],
  ])('rejects a token %s', async (_case, claims, detail) => {
    expect(await judge(await sign({ sub: 'ada', ...claims }))).toEqual(refused(detail))
  })
})

describe('issuer', () => {
  const issuer = 'https://auth.example.test'

  it('is not compared unless one is configured', async () => {
    expect(await judge(await sign({ sub: 'ada', iss: 'https://other.test' }))).toMatchObject({
      sub: 'ada',
    })
  })

  it('must be the configured one for a token of a user', async () => {
    const tokens = [await sign({ sub: 'ada', iss: issuer }), await sign({ sub: 'ada' })]

    expect(await judge(tokens[0] ?? '', issuer)).toMatchObject({ sub: 'ada' })
    expect(await judge(tokens[1] ?? '', issuer)).toEqual(refused('invalid issuer'))
    for (const iss of [`${issuer}/`, [issuer], null]) {
      expect(await judge(await sign({ sub: 'ada', iss }), issuer)).toEqual(
        refused('invalid issuer'),
      )
    }
  })

  it('is not required of an operator’s token, which has no subject', async () => {
    expect(await judge(await sign({ role: 'service_role' }), issuer)).toEqual({
      role: 'service_role',
    })
  })
})

describe('type', () => {
  it.each([[{}], [{ typ: 'JWT' }], [{ typ: 'at+jwt' }]])(
    'accepts the header %j',
    async (header) => {
      expect(await judge(await sign({ sub: 'ada' }, header))).toEqual({ sub: 'ada' })
    },
  )

  it.each(['refresh', 'id_token', 'dpop+jwt', 'jwt', '', null, 1, ['JWT']])(
    'rejects the type %j (T28)',
    async (typ) => {
      expect(await judge(await sign({ sub: 'ada' }, { typ }))).toEqual(refused('unacceptable type'))
    },
  )

  it('rejects critical extensions, as RFC 7515 §4.1.11 requires', async () => {
    const token = await sign({ sub: 'ada' }, { crit: ['b64'], b64: false })

    expect(await judge(token)).toEqual(refused('crit'))
  })
})

describe('signature', () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

  it.each(['none', 'None', 'RS256', 'HS512', undefined, ['HS256'], null])(
    'rejects the algorithm %j (T29)',
    async (alg) => {
      expect(await judge(await sign({ sub: 'ada' }, { alg }))).toEqual(refused('no such key'))
    },
  )

  it('rejects a token without a signature (T29)', async () => {
    const unsigned = `${encode({ alg: 'none' })}.${encode({ sub: 'ada' })}`

    for (const token of [`${unsigned}.`, unsigned, `${unsigned}.AA`]) {
      expect(await judge(token)).toMatchObject({ code: 'bad_jwt', status: 403 })
    }
  })

  it('rejects a signature by another secret, without a part of the token in the error', async () => {
    const other = { algorithm: 'HS256', key: createSecretKey('another secret', 'utf8') } as const
    const token = await signJws(other, {}, { sub: 'ada', email: 'ada@example.test' })

    expect(await judge(token)).toEqual({
      ...refused(''),
      message:
        'invalid JWT: unable to parse or verify signature, ' +
        'token signature is invalid: signature is invalid',
    })
  })
})

describe('audience', () => {
  const judgeAudience = (aud: unknown): boolean => {
    try {
      requireAudience({ aud } as never, 'authenticated', 'staff')
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_jwt', status: 403 })
      return false
    }
  }

  it('is accepted when the token has one of the expected, or none', () => {
    const right = [undefined, 'staff', ['authenticated'], ['other', 'staff']]

    expect(right.map(judgeAudience)).toEqual([true, true, true, true])
  })

  it('is rejected in all other cases', () => {
    const wrong = ['', 'other', [], ['other'], null, 1, { 0: 'staff' }, 'staff,authenticated']

    expect(wrong.map(judgeAudience)).toEqual(wrong.map(() => false))
  })
})
