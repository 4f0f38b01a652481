import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import type { ManagedAlgorithm } from '../../platform/config/sections/tokens.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { decodeJws } from '../../platform/kit/jws.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type ManagedKeyRing, openManagedKeys } from './managed-keys.ts'
import { verifyAccessToken } from './verify-access-token.ts'

const encryptionKey = 'an encryption key for tests of 32 bytes'
const encryption: RootKeys = { current: encryptionKey, all: [encryptionKey] }

let auth: TestAuth
let deps: Deps

const opened: ManagedKeyRing[] = []

const load = async (algorithm: ManagedAlgorithm, encryptedBy: RootKeys | null = encryption) => {
  const { database, clock, random } = deps
  const ring = await openManagedKeys(
    { ...database, clock, random, encryption: encryptedBy, logger: silentLogger },
    { algorithm, intervalSeconds: 1000, overlapSeconds: 100, tokenLifetimeSeconds: 60 },
  )
  opened.push(ring)
  return ring
}

const empty = () => auth.rows(`delete from ${deps.database.sql.table('signing_keys')}`)

const stored = () =>
  auth.rows<{ id: string; algorithm: string; public_jwk: object; private_jwk: string }>(
    `select * from ${deps.database.sql.table('signing_keys')}`,
  )

beforeAll(async () => {
  auth = await startTestAuth()
  deps = await auth.deps()
})
afterAll(() => {
  for (const ring of opened) ring.stop()
  return auth.close()
})

describe('managed keys', () => {
  it.each(['RS256', 'ES256', 'EdDSA'] as const)(
    'create an %s key once and keep using it',
    async (algorithm) => {
      await empty()

      const first = await load(algorithm)
      const second = await load(algorithm)
      const token = await first.sign({ sub: 'ada' })

      expect(decodeJws(token)?.header).toMatchObject({ alg: algorithm, typ: 'JWT' })
      const claims = await verifyAccessToken(second, token, {
        now: deps.clock.now(),
        issuer: null,
      })
      expect(claims).toEqual({ sub: 'ada' })
      expect(second.published()).toEqual(first.published())
      expect(await stored()).toHaveLength(1)
    },
  )

  it('are created once by five instances that start at the same time', async () => {
    await empty()

    const rings = await Promise.all(Array.from({ length: 5 }, () => load('ES256')))

    const published = rings.map((ring) => JSON.stringify(ring.published()))
    expect(new Set(published).size).toBe(1)
    expect(await stored()).toHaveLength(1)
  })

  it('are stored with encrypted private keys', async () => {
    await empty()

    await load('ES256')
    const [row] = await stored()

    expect(row?.private_jwk).toMatch(/^v2\.[0-9a-f]{12}\.[\w-]+$/)
    expect(row?.public_jwk).not.toHaveProperty('d')
  })

  it('are unusable with another encryption key, and the error contains neither key', async () => {
    await empty()
    await load('ES256')
    const other: RootKeys = { current: 'another key', all: ['another key'] }

    const loading = load('ES256', other)

    await expect(loading).rejects.toThrow(
      /sealed with root key [0-9a-f]{12}, which is not configured/,
    )
    expect(await stored()).toHaveLength(1)
  })

  it('open with an older encryption key that is still listed', async () => {
    await empty()
    const before = await load('ES256')
    const rotated: RootKeys = { current: 'a newer key', all: ['a newer key', encryptionKey] }

    const after = await load('ES256', rotated)

    expect(after.published()).toEqual(before.published())
  })

  it('are stored in clear text in development, where there is no encryption key', async () => {
    await empty()

    await load('EdDSA', null)
    const [row] = await stored()

    expect(JSON.parse(row?.private_jwk ?? '')).toMatchObject({ kty: 'OKP', alg: 'EdDSA' })
  })
})

it('serves with managed keys: an access token verifies with the published key', async () => {
  const managed = await startTestAuth({ jwt: { algorithm: 'ES256' }, encryptionKey })
  const { accessToken } = await managed.given.session()

  const jwks = await managed.get('/.well-known/jwks.json')
  const claims = await managed.auth.verifyToken(accessToken)
  await managed.close()

  expect(jwks.body.keys).toEqual([
    expect.objectContaining({
      kty: 'EC',
      alg: 'ES256',
      kid: decodeJws(accessToken)?.header['kid'],
    }),
  ])
  expect(claims.role).toBe('authenticated')
})
