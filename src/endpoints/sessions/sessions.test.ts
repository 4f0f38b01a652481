import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const signIn = async (email: string, userAgent: string) => {
  auth.clock.advance(1)
  const { session } = await auth.auth.api.signInWithPassword(
    { email, password: testPassword },
    { ip: '203.0.113.7', userAgent },
  )
  return session
}

it('lists the sessions of the caller, the one that was used last first', async () => {
  const { email } = await auth.given.user()
  const phone = await signIn(email ?? '', 'phone')
  const laptop = await signIn(email ?? '', 'laptop')
  await auth.given.session()

  const sessions = await auth.auth.api.listSessions({ accessToken: phone.accessToken })

  expect(sessions).toEqual([
    expect.objectContaining({ id: laptop.id, userAgent: 'laptop', isCurrent: false }),
    expect.objectContaining({ id: phone.id, userAgent: 'phone', isCurrent: true, aal: 'aal1' }),
  ])
  expect(sessions[0]?.ip).toBe('203.0.113.7')
})

it('ends one session of the caller, at once', async () => {
  const { email } = await auth.given.user()
  const lost = await signIn(email ?? '', 'phone')
  const { accessToken } = await signIn(email ?? '', 'laptop')

  await auth.auth.api.revokeSession({ accessToken, sessionId: lost.id })

  const answer = await auth.get('/user', { token: lost.accessToken })
  expect(answer.body.error_code).toBe('session_not_found')
  await expect(auth.auth.api.listSessions({ accessToken })).resolves.toHaveLength(1)
})

it('T37: does not affect the sessions of another user', async () => {
  const { accessToken } = await auth.given.session()
  const other = await signIn((await auth.given.user()).email ?? '', 'phone')
  const revoke = (sessionId: string) => auth.auth.api.revokeSession({ accessToken, sessionId })

  await expect(revoke(other.id)).rejects.toMatchObject({ code: 'session_not_found', status: 404 })
  await expect(revoke('../x')).rejects.toMatchObject({ code: 'validation_failed' })
  expect((await auth.get('/user', { token: other.accessToken })).status).toBe(200)
})

it('identifies the user by signature only, without regard to a sign-out', async () => {
  const { user, accessToken } = await auth.given.session()
  const request = new Request('http://app.test', {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  await auth.auth.api.signOut({ accessToken })

  const claimed = await auth.auth.requireUser(request, { strict: false })

  expect(claimed).toMatchObject({ userId: user.id, claims: { email: user.email } })
  await expect(auth.auth.requireUser(request)).rejects.toMatchObject({ code: 'session_not_found' })
  await expect(
    auth.auth.requireUser(new Request('http://app.test'), { strict: false }),
  ).rejects.toMatchObject({ code: 'no_authorization' })
})
