import { afterEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { createSweeping } from './sweep-expired.ts'

const day = 24 * 60 * 60

let auth: TestAuth
afterEach(() => auth.close())

const start = async (sessions: AuthConfig['sessions'] = {}) => {
  auth = await startTestAuth({ sessions })
}
const sweep = async () => createSweeping(await auth.deps()).sweep(60_000)
const count = async () => (await auth.rows('select 1 from auth.sessions')).length
const signIn = (email: string | null) =>
  auth.auth.api.signInWithPassword({ email: email ?? '', password: testPassword })

/** Days after the event during which a session is kept, and after which it is deleted. */
const expectEnd = async (kept: number, deleted: number) => {
  auth.clock.advance(kept * day)
  await sweep()
  expect(await count()).toBe(1)
  auth.clock.advance((deleted - kept) * day)
  await sweep()
  expect(await count()).toBe(0)
}

describe('the sweep', () => {
  it('S18: deletes a session a week after its time box, and keeps a live one', async () => {
    await start({ timeboxSeconds: 2 * day })
    const { user } = await auth.given.session()
    auth.clock.advance(day)
    await signIn(user.email)
    auth.clock.advance(7.5 * day)
    await sweep()
    expect(await count()).toBe(2)
    auth.clock.advance(day)

    await sweep()

    expect(await count()).toBe(1)
  })

  it('S18: deletes a session a week after its end, its inactivity or its revocation', async () => {
    await start({ inactivityTimeoutSeconds: day })
    await auth.given.session()
    await expectEnd(7.9, 8.1)
    await auth.given.session()
    await auth.rows('update auth.sessions set not_after = $1', [auth.clock.now()])
    await expectEnd(6.9, 7.1)
    await auth.given.session()
    await auth.rows('update auth.sessions set revoked_at = $1', [auth.clock.now()])
    await expectEnd(6.9, 7.1)
  })

  it('S18: recognizes reuse of a refresh token until a week after the revocation', async () => {
    await start()
    const { refreshToken } = await auth.given.session()
    const refresh = (refresh_token: string) =>
      auth.post('/token?grant_type=refresh_token', { refresh_token })
    const next = (await refresh(refreshToken)).body.refresh_token
    await refresh(next)
    auth.clock.advance(20)
    await refresh(refreshToken)
    const reasonAfter = async (days: number) => {
      auth.clock.advance(days * day)
      await sweep()
      return (await refresh(next)).body.error_code
    }

    expect(await reasonAfter(6.9)).toBe('refresh_token_already_used')
    expect(await reasonAfter(0.2)).toBe('refresh_token_not_found')
  })

  it('S18: keeps a replaced session for a week after its last use, since it may live again', async () => {
    await start({ singlePerUser: true })
    const { user } = await auth.given.session()
    auth.clock.advance(1)
    await signIn(user.email)
    auth.clock.advance(6.9 * day)
    await sweep()
    expect(await count()).toBe(2)
    auth.clock.advance(day)

    await sweep()

    expect(await count()).toBe(1)
  })

  it('S18: keeps sessions that may be renewed, however old', async () => {
    await start()
    await auth.given.session()
    auth.clock.advance(1000 * day)

    await sweep()

    expect(await count()).toBe(1)
  })

  it('S18: deletes 20,000 ended sessions of one user in one pass, and skips those in use', async () => {
    await start({ timeboxSeconds: day })
    const { user } = await auth.given.session()
    await auth.rows(
      `insert into auth.sessions select (jsonb_populate_record(s, jsonb_build_object(
        'id', gen_random_uuid(), 'created_at', s.created_at - interval '10 days'))).*
        from auth.sessions s, generate_series(1, 20000)`,
    )

    const swept = await sweep()

    expect(swept).toBe(20_000)
    expect(await auth.auth.admin.listSessions(user.id)).toHaveLength(1)
  })
})
