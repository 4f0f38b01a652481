import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  collectInto,
  type LogEntry,
  startTestAuth,
  type TestAuth,
} from '../../../test/support/test-auth.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import { decodeJws } from '../../platform/kit/jws.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type KeyAnnouncements, type ManagedKeyRing, openManagedKeys } from './managed-keys.ts'
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

describe('the query for changed keys', () => {
  const polled = async (announced: KeyAnnouncements, isPolling = () => true) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const requested: string[] = []
    let ended = 0
    const { sql, ...rest } = needs()
    const watched: typeof sql = {
      ...sql,
      query: (one, values) => {
        requested.push(one.name)
        return sql.query(one, values).finally(() => {
          ended += 1
        })
      },
    }
    const changed = vi.fn()
    const ring = await openManagedKeys(
      { ...rest, sql: watched, announcements: () => announced, isPolling, changed },
      plan,
    )
    rings.push(ring)
    requested.length = 0
    ended = 0
    /** Advances to the end of the next query, or of the time if there is none. */
    const pass = async (seconds: number) => {
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      await vi.waitUntil(() => ended === requested.length)
      // The next timer begins after the query.
      await new Promise((done) => setImmediate(done))
    }
    return { ring, requested, changed, pass }
  }
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    ['notified', 4],
    ['silently', 1.5],
    ['none', 30],
  ] as const)(
    'is one cheap statement where changes are announced so: %s, every %d s',
    async (way, seconds) => {
      const { requested, pass } = await polled(way)
      // The first query reads the keys, too.
      await pass(seconds)
      await vi.waitUntil(() => requested.length === 2)
      await pass(0)

      for (const _ of [1, 2, 3]) {
        await pass(seconds - 0.5)
        await pass(0.5)
      }

      expect(requested.slice(2)).toEqual(
        Array.from({ length: 3 }, () => 'find_state_of_signing_keys'),
      )
    },
  )

  it('keeps verified tokens while keys are equal, and rejects those of a retired key', async () => {
    const { ring, changed, pass } = await polled('silently')
    await rotateNow(needs(), plan)
    auth.clock.advance(101)
    await pass(2)
    await expect.poll(() => changed.mock.calls.length).toBe(1)
    const { token, kid } = await signerOf(ring)
    const memory = ring.memory()
    await pass(2)
    expect(ring.memory()).toBe(memory)

    const [key] = (await findAllSigningKeys(deps.database.sql)).filter(({ id }) => id !== kid)
    auth.clock.advance(1)
    await retireNow(needs(), String(kid)).then((outcome) => expect(outcome).toBe('retired'))
    await pass(2)

    await expect.poll(() => changed.mock.calls.length).toBe(2)
    await expect(verify(ring, token)).rejects.toMatchObject({ code: 'bad_jwt' })
    expect((await signerOf(ring)).kid).toBe(key?.id)
  })

  it('is left to another process of the group', async () => {
    const { requested, pass } = await polled('silently', () => false)

    await pass(10)

    expect(requested).toEqual([])
  })

  it('logs one warning while it fails', async () => {
    const log: LogEntry[] = []
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { sql, ...rest } = needs()
    let isDown = false
    const broken: typeof sql = {
      ...sql,
      query: (one, values) => (isDown ? Promise.reject(new Error('away')) : sql.query(one, values)),
    }
    rings.push(await openManagedKeys({ ...rest, sql: broken, logger: collectInto(log) }, plan))
    isDown = true

    for (let passed = 0; passed < 10; passed += 1) await vi.advanceTimersByTimeAsync(1000)

    expect(log.map(({ message }) => message)).toEqual(['keys were not reloaded'])
  })
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
