import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import { decodeJws } from '../../platform/kit/jws.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type ManagedKeyRing, openManagedKeys } from './managed-keys.ts'
import { type RotationPlan, retireNow, rotateNow, rotateWhenDue } from './rotate-signing-keys.ts'
import { findAllSigningKeys } from './signing-keys.sql.ts'
import { verifyAccessToken } from './verify-access-token.ts'

const plan: RotationPlan = {
  algorithm: 'ES256',
  intervalSeconds: 1000,
  overlapSeconds: 100,
  tokenLifetimeSeconds: 60,
}

let auth: TestAuth
let deps: Deps
let rings: ManagedKeyRing[] = []

beforeEach(async () => {
  auth = await startTestAuth()
  deps = await auth.deps()
})
afterEach(async () => {
  for (const ring of rings) ring.stop()
  rings = []
  await auth.close()
})

const needs = () => ({
  ...deps.database,
  clock: deps.clock,
  random: deps.random,
  encryption: null,
  logger: silentLogger,
})

const open = async () => {
  const ring = await openManagedKeys(needs(), plan)
  rings.push(ring)
  return ring
}
const signerOf = async (ring: ManagedKeyRing) => {
  const token = await ring.sign({ sub: 'ada' })
  return { token, kid: decodeJws(token)?.header['kid'] }
}
const verify = (ring: ManagedKeyRing, token: string) =>
  verifyAccessToken(ring, token, { now: deps.clock.now(), issuer: null })
const states = async () =>
  (await findAllSigningKeys(deps.database.sql)).map(({ retired_at }) => retired_at !== null)

it('publishes the next key one overlap before it signs', async () => {
  const before = await signerOf(await open())
  auth.clock.advance(950)
  const ring = await open()
  const during = await signerOf(ring)
  auth.clock.advance(100)
  const after = await signerOf(ring)

  expect(ring.published()).toHaveLength(2)
  expect(during.kid).toBe(before.kid)
  expect(after.kid).not.toBe(before.kid)
  await expect(verify(ring, before.token)).resolves.toEqual({ sub: 'ada' })
})

it('retires a key only after its last token, and deletes its private key', async () => {
  await open()
  auth.clock.advance(950)
  await rotateWhenDue(needs(), plan)
  auth.clock.advance(100 + 159)
  await rotateWhenDue(needs(), plan)
  const early = await states()
  auth.clock.advance(2)

  await rotateWhenDue(needs(), plan)

  expect(early).toEqual([false, false])
  expect(await states()).toEqual([false, true])
  const halves = (await findAllSigningKeys(deps.database.sql)).map(
    ({ private_jwk }) => private_jwk === '',
  )
  expect(halves).toEqual([false, true])
})

it('is done once by five instances when it is due', async () => {
  await open()
  auth.clock.advance(950)

  await Promise.all(Array.from({ length: 5 }, () => rotateWhenDue(needs(), plan)))

  expect(await states()).toEqual([false, false])
})

it('is accepted by an instance that does not have the new key, after one reload', async () => {
  const [first, second] = [await open(), await open()]
  await rotateNow(needs(), plan)
  auth.clock.advance(101)
  const third = await open()
  const { token } = await signerOf(third)

  const known = await signerOf(first)
  const believed = await verify(second, token)

  expect(decodeJws(token)?.header['kid']).not.toBe(known.kid)
  expect(believed).toEqual({ sub: 'ada' })
})

it('reads the database once for many tokens with unknown keys', async () => {
  let statements = 0
  const { sql, ...rest } = needs()
  const counting: typeof sql = {
    ...sql,
    query: (statement, values) => {
      statements += 1
      return sql.query(statement, values)
    },
  }
  const ring = await openManagedKeys({ ...rest, sql: counting }, plan)
  rings.push(ring)
  const header = Buffer.from('{"alg":"ES256","kid":"unknown"}').toString('base64url')
  statements = 0

  for (let attempt = 0; attempt < 20; attempt += 1) {
    await expect(verify(ring, `${header}.e30.AA`)).rejects.toMatchObject({ code: 'bad_jwt' })
  }

  expect(statements).toBe(1)
})

it('keeps one signing key, however many are retired at once', async () => {
  await open()
  auth.clock.advance(950)
  await open()
  auth.clock.advance(200)
  const ids = (await findAllSigningKeys(deps.database.sql)).map(({ id }) => id)

  let waiting = ids.length
  let begin = () => {}
  const allBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const transaction: typeof deps.database.transaction = (work) =>
    deps.database.transaction(async (unit) => {
      waiting -= 1
      if (waiting === 0) begin()
      await allBegun
      return work(unit)
    })

  const outcomes = await Promise.all(ids.map((id) => retireNow({ ...needs(), transaction }, id)))

  expect(outcomes.sort()).toEqual(['retired', 'signs alone'])
  expect((await states()).sort()).toEqual([false, true])
})
