import { afterEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'

// S28: instances whose clocks differ decide alike about the reuse of a refresh token.

let auth: TestAuth
afterEach(() => auth.close())

const refresh = (refresh_token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token })

/** Runs work on an instance whose clock differs by this number of seconds. */
async function withSkew<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const now = auth.clock.now()
  auth.clock.stop(new Date(now.getTime() + seconds * 1000))
  const done = await work()
  auth.clock.stop(now)
  return done
}

describe('the reuse interval', () => {
  it.each([
    ['ahead', 300],
    ['behind', -300],
  ])('S28: ends in time where the rotating instance is %s', async (_name, skew) => {
    const databaseClock = createTestClock()
    auth = await startTestAuth({}, { databaseClock })
    const { refreshToken } = await auth.given.session()
    const rotated = await withSkew(skew, () => refresh(refreshToken))
    databaseClock.advance(9)

    const early = await refresh(refreshToken)
    databaseClock.advance(2)
    const late = await refresh(refreshToken)

    expect(early.body.refresh_token).toBe(rotated.body.refresh_token)
    expect(late.body.error_code).toBe('refresh_token_already_used')
    expect((await refresh(rotated.body.refresh_token)).status).toBe(400)
  })

  it('S28: does not treat a rotation in the future as a recent one', async () => {
    const databaseClock = createTestClock()
    auth = await startTestAuth({}, { databaseClock })
    const { refreshToken } = await auth.given.session()
    await refresh(refreshToken)
    databaseClock.stop(new Date(databaseClock.now().getTime() - 60_000))

    expect((await refresh(refreshToken)).body.error_code).toBe('refresh_token_already_used')
  })

  it('S79: accepts a rotation by a server whose clock was seconds ahead, as after a failover', async () => {
    const databaseClock = createTestClock()
    auth = await startTestAuth({}, { databaseClock })
    const { refreshToken } = await auth.given.session()
    const rotated = await refresh(refreshToken)
    databaseClock.stop(new Date(databaseClock.now().getTime() - 3_000))

    expect((await refresh(refreshToken)).body.refresh_token).toBe(rotated.body.refresh_token)
    expect((await refresh(rotated.body.refresh_token)).status).toBe(200)
  })

  it('S79: does not include time in which the database was unavailable', async () => {
    auth = await startTestAuth()
    const database = (await auth.deps()).database
    database.lostMs = () => 20_000
    const { refreshToken } = await auth.given.session()
    const rotated = await refresh(refreshToken)
    auth.clock.advance(29)
    const early = await refresh(refreshToken)
    auth.clock.advance(1)
    const late = await refresh(refreshToken)

    expect(early.body.refresh_token).toBe(rotated.body.refresh_token)
    expect(late.body.error_code).toBe('refresh_token_already_used')
  })

  it("S28: is measured by PostgreSQL's clock, not by those of instances", async () => {
    auth = await startTestAuth({}, { databaseClock: null })
    const { refreshToken } = await auth.given.session()
    const rotated = await refresh(refreshToken)
    const again = await withSkew(3600, () => refresh(refreshToken))
    await auth.rows(`update auth.sessions set refreshed_at = now() - interval '11 seconds'`)

    const late = await withSkew(-3600, () => refresh(refreshToken))

    expect(again.body.refresh_token).toBe(rotated.body.refresh_token)
    expect(late.body.error_code).toBe('refresh_token_already_used')
    const [row] = await auth.rows<{ by_database: boolean }>(
      `select revoked_at between now() - interval '1 minute' and now() as by_database from auth.sessions`,
    )
    expect(row).toEqual({ by_database: true })
  })

  it('S28: returns one child to parallel requests, in any order of their statements', async () => {
    auth = await startTestAuth({}, { databaseClock: null })
    let { refreshToken } = await auth.given.session()
    for (let round = 0; round < 5; round += 1) {
      const token = refreshToken
      const answers = await Promise.all(Array.from({ length: 12 }, () => refresh(token)))
      const children = new Set(answers.map(({ body }) => body.refresh_token))
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
      expect(children.size).toBe(1)
      refreshToken = [...children][0]
    }
  })

  it('S28: revokes nothing twice', async () => {
    auth = await startTestAuth(
      { security: { refreshTokens: { reuseIntervalSeconds: 0 } } },
      { databaseClock: null },
    )
    const { refreshToken } = await auth.given.session()
    await refresh(refreshToken)

    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)])

    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    const revoked = await auth.rows('select 1 from auth.sessions where revoked_at is not null')
    expect(revoked).toHaveLength(1)
  })
})
