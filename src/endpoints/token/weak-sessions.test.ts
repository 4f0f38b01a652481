import { afterEach, expect, it } from 'vitest'
import { asOauthServer, claimsIn, oauthOf } from '../../../test/support/oauth-clients.ts'
import {
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

// SESSIONS_ALLOW_LOW_AAL: how long a session may exist without the second factor of its user.

let auth: TestAuth
let factors: SecondFactors
afterEach(() => auth.close())

const start = async (sessions: AuthConfig['sessions'] = { allowLowAalSeconds: 100 }) => {
  auth = await startTestAuth({ sessions })
  factors = secondFactors(auth)
}
const refresh = (refresh_token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token })
const signIn = async (email: string | null) =>
  (await auth.post('/token?grant_type=password', { email, password: testPassword })).body

it('ends a session without a timely proof of the factor, and its tokens with it', async () => {
  await start()
  const { user, refreshToken: strong } = await factors.aal2Session()
  const weak = await signIn(user.email)
  auth.clock.advance(60)
  const renewed = (await refresh(weak.refresh_token)).body
  auth.clock.advance(41)

  const late = await refresh(renewed.refresh_token)

  expect([weak.expires_in, renewed.expires_in]).toEqual([100, 40])
  expect([late.status, late.body.error_code, late.body.msg]).toEqual([
    400,
    'session_expired',
    'Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
  ])
  expect((await refresh(strong)).body.expires_in).toBe(3600)
})

it('ends none of a user without a verified factor', async () => {
  await start()
  const { accessToken, refreshToken } = await auth.given.session()
  await factors.enrolledApp(accessToken)
  auth.clock.advance(1000)

  expect((await refresh(refreshToken)).body.expires_in).toBe(3600)
})

it('ends no session of an OAuth client, which cannot prove the factor', async () => {
  auth = await startTestAuth({ ...asOauthServer, sessions: { allowLowAalSeconds: 100 } })
  const oauth = oauthOf(auth)
  const { accessToken } = await secondFactors(auth).aal2Session()
  const client = await oauth.client()
  const tokens = await oauth.tokens(client, accessToken)
  const { exp, iat } = claimsIn(tokens.access_token)
  auth.clock.advance(1000)

  expect(Number(exp) - Number(iat)).toBe(3600)
  expect((await auth.get('/user', { token: tokens.access_token })).status).toBe(200)
  expect((await oauth.refresh(client, tokens.refresh_token)).body.expires_in).toBe(3600)
})

it('keeps a session that proves the factor in time', async () => {
  await start()
  const { user, app } = await factors.aal2Session()
  const weak = await signIn(user.email)
  const { body: proved } = await factors.prove(weak.access_token, app)
  auth.clock.advance(1000)

  expect(proved.expires_in).toBe(3600)
  expect((await refresh(proved.refresh_token)).status).toBe(200)
})

it('no longer counts such a session for its user', async () => {
  await start({ allowLowAalSeconds: 100, singlePerUser: true })
  const { user, refreshToken: strong } = await factors.aal2Session()
  await signIn(user.email)
  const overtaken = await refresh(strong)
  auth.clock.advance(101)

  const alone = await refresh(strong)

  expect([overtaken.status, alone.status]).toEqual([400, 200])
  expect(await auth.auth.admin.listSessions(user.id)).toMatchObject([{ aal: 'aal2' }])
})

it('reports to an operator that such a session has ended, not that it needs the factor', async () => {
  await start()
  const { user } = await factors.aal2Session()
  await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
  const weak = await signIn(user.email)
  const list = () => auth.get('/admin/users', { token: weak.access_token })
  const before = await list()
  auth.clock.advance(99.5)
  await auth.rows(`update auth.sessions set created_at = created_at - interval '1 minute'`)

  const after = await list()

  expect([before, after].map(statusAndCode)).toEqual([
    [403, 'insufficient_aal'],
    [403, 'session_expired'],
  ])
})

it('rounds the lifetime of a token up to a second', async () => {
  await start({ allowLowAalSeconds: 0.5 })
  const { user } = await factors.aal2Session()

  expect((await signIn(user.email)).expires_in).toBe(1)
})
