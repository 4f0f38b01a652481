import { afterEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

let auth: TestAuth
afterEach(() => auth.close())

const start = async (sessions: AuthConfig['sessions']) => {
  auth = await startTestAuth({ sessions })
}
const refresh = async (refreshToken: string) => {
  const { status, body } = await auth.post('/token?grant_type=refresh_token', {
    refresh_token: refreshToken,
  })
  return { status, token: body.refresh_token ?? '', message: body.msg, code: body.error_code }
}

describe('a time box', () => {
  it('ends a session after any number of renewals, and keeps its row', async () => {
    await start({ timeboxSeconds: 100 })
    const { refreshToken } = await auth.given.session()
    auth.clock.advance(60)
    const renewed = await refresh(refreshToken)
    auth.clock.advance(41)

    const late = await refresh(renewed.token)

    expect(renewed.status).toBe(200)
    expect(late).toMatchObject({
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired',
    })
  })
})

describe('inactivity', () => {
  it('ends a session that was inactive for too long', async () => {
    await start({ inactivityTimeoutSeconds: 100 })
    const { refreshToken } = await auth.given.session()
    auth.clock.advance(99)
    const renewed = await refresh(refreshToken)
    auth.clock.advance(101)

    const late = await refresh(renewed.token)

    expect(renewed.status).toBe(200)
    expect(late.message).toBe('Invalid Refresh Token: Session Expired (Inactivity)')
  })

  it('rejects an operator at the admin endpoints whose session it ended', async () => {
    await start({ inactivityTimeoutSeconds: 100 })
    const { user, accessToken } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const { refreshToken } = await auth.given.session('operator@example.test')
    await refresh(refreshToken)
    auth.clock.advance(101)

    const answer = await auth.get(`/admin/users/${user.id}`, { token: accessToken })

    expect([answer.status, answer.body.error_code]).toEqual([403, 'session_expired'])
  })
})

describe('one session per user', () => {
  const signIn = async (email: string) => {
    auth.clock.advance(1)
    const { session } = await auth.auth.api.signInWithPassword({ email, password: 'correct horse' })
    return session.refreshToken
  }

  it('renews only the last used session', async () => {
    await start({ singlePerUser: true })
    const { email } = await auth.given.user()
    const older = await signIn(email ?? '')
    const newer = await signIn(email ?? '')

    const overtaken = await refresh(older)
    const current = await refresh(newer)

    expect(overtaken.message).toBe(
      'Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
    )
    expect(current.status).toBe(200)
  })

  it('renews the older one again after the newer one was signed out', async () => {
    await start({ singlePerUser: true })
    const { email } = await auth.given.user()
    const older = await signIn(email ?? '')
    auth.clock.advance(1)
    const { session } = await auth.auth.api.signInWithPassword({
      email: email ?? '',
      password: 'correct horse',
    })
    await auth.auth.api.signOut({ accessToken: session.accessToken, scope: 'local' })

    expect((await refresh(older)).status).toBe(200)
  })

  it('applies to each tag separately', async () => {
    await start({ singlePerUser: true, tags: ['web', 'phone'] })
    const { email } = await auth.given.user()
    const web = await signIn(email ?? '')
    const { database } = await auth.deps()
    await auth.rows(`update ${database.sql.table('sessions')} set tag = 'phone'`)
    await signIn(email ?? '')

    expect((await refresh(web)).status).toBe(200)
  })
})
