import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signJws } from '../../platform/kit/jws.ts'
import type { AccessTokenClaims } from './claims.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { jwkTokenKey } from './token-key.ts'
import { createVerifiedTokenCache } from './verified-token-cache.ts'
import { verifyAccessToken } from './verify-access-token.ts'

const newKey = (kid: string) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return jwkTokenKey({ ...privateKey.export({ format: 'jwk' }), kid })
}
const [old, current] = [newKey('old'), newKey('current')]
const now = new Date('2026-03-01T12:00:00Z')
const exp = now.getTime() / 1000 + 60
const tokenOf = (claims: object, key = old) => {
  if (!key.signing) throw new Error('no private half')
  return signJws(key.signing, { typ: 'JWT', kid: key.id }, { exp, ...claims })
}
const terms = { now, issuer: null }

/** Verifies a token as often as caching requires. */
async function show(ring: KeyRing, token: string): Promise<AccessTokenClaims> {
  await verifyAccessToken(ring, token, terms)
  const claims = await verifyAccessToken(ring, token, terms)
  expect(ring.memory().get(token)).toEqual(claims)
  return claims
}

describe('a token that was verified before', () => {
  it('returns the same claims, which no caller can change', async () => {
    const ring = createKeyRing([old], old)
    const claims = { exp, sub: 'ada', app_metadata: { roles: ['editor'] } }
    const token = await tokenOf(claims)
    const first = await show(ring, token)
    const { app_metadata: metadata = {} } = first
    expect(() => Object.assign(metadata, { roles: ['owner'] })).toThrow()
    expect(() => (metadata['roles'] as string[]).push('owner')).toThrow()

    expect(await verifyAccessToken(ring, token, terms)).toEqual(claims)
  })

  it('is rejected after its expiry, and for another issuer', async () => {
    const ring = createKeyRing([old], old)
    const token = await tokenOf({ sub: 'ada', iss: 'https://a.example.test' })
    await show(ring, token)

    const later = { now: new Date(exp * 1000), issuer: null }
    await expect(verifyAccessToken(ring, token, later)).rejects.toThrow('expired')
    const elsewhere = { now, issuer: 'https://b.example.test' }
    await expect(verifyAccessToken(ring, token, elsewhere)).rejects.toThrow('issuer')
  })

  it('does not make another token with the same signature, or a part of it, valid', async () => {
    const ring = createKeyRing([old], old)
    const token = await tokenOf({ sub: 'ada' })
    const [header, , signature] = token.split('.')
    await show(ring, token)

    const payload = Buffer.from(JSON.stringify({ exp, sub: 'eve' })).toString('base64url')
    for (const forged of [`${header}.${payload}.${signature}`, token.slice(0, -2), `${token}A`]) {
      await expect(verifyAccessToken(ring, forged, terms)).rejects.toThrow(/signature|malformed/)
    }
  })

  it('is rejected by a ring without its key', async () => {
    const token = await tokenOf({ sub: 'ada' })
    await show(createKeyRing([current, old], current), token)

    const ring = createKeyRing([current], current)
    await expect(verifyAccessToken(ring, token, terms)).rejects.toThrow('no such key')
  })
})

it('does not cache a token with large claims', async () => {
  const ring = createKeyRing([old], old)
  const token = await tokenOf({ sub: 'ada', user_metadata: { x: 'x'.repeat(4000) } })
  await verifyAccessToken(ring, token, terms)
  await verifyAccessToken(ring, token, terms)

  expect(ring.memory().get(token)).toBeNull()
})

it('caches the last tokens that were used twice, those still in use included, and few others', () => {
  const memory = createVerifiedTokenCache(3)
  const tokens = Array.from({ length: 20 }, (_, n) => `token ${n}`)
  for (const token of tokens) {
    memory.set(token, {})
    expect(memory.get(token)).toBeNull()
    memory.set(token, {})
    memory.get(tokens[0] as string)
  }
  const known = tokens.filter((token) => memory.get(token) !== null)

  expect(known).toEqual(expect.arrayContaining([tokens[0], ...tokens.slice(-2)]))
  expect(known.length).toBeLessThanOrEqual(6)
})
