import { afterEach, expect, it } from 'vitest'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { securityKeysOf, withSecurityKeys } from '../../../test/support/security-keys.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { MfaVerificationPayload } from '../../platform/config/sections/hooks.ts'
import { verifyFactorEndpoint } from './second-factor.endpoint.ts'

let auth: TestAuth
let factors: SecondFactors
afterEach(() => auth.close())

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]

async function start(answer: (payload: MfaVerificationPayload) => unknown) {
  auth = await startTestAuth({
    hooks: { mfaVerificationAttempt: (payload) => answer(payload) as never },
  })
  factors = secondFactors(auth)
  const session = await auth.given.session()
  const app = await factors.enrolledApp(session.accessToken)
  const challengeId = await factors.challenge(session.accessToken, app.id)
  const prove = (code: string) => factors.answer(session.accessToken, app.id, challengeId, code)
  return { ...session, app, prove }
}

it('calls the hook for every attempt, right or wrong', async () => {
  const received: MfaVerificationPayload[] = []
  const { user, app, prove } = await start((payload) => {
    received.push(payload)
    return { decision: 'continue' }
  })

  const answers = [await prove('000'), await prove(factors.codeOf(app))]

  expect(answers.map(({ status }) => status)).toEqual([422, 200])
  const metadata = { name: 'mfa-verification', ip_address: '203.0.113.7' }
  const about = { user_id: user.id, factor_id: app.id, factor_type: 'totp' }
  expect(received).toMatchObject([
    { ...about, metadata, valid: false },
    { ...about, metadata, valid: true },
  ])
})

it.each([
  ['in its own words', { decision: 'reject', message: 'Call us' }, 'Call us'],
  ['without any', { decision: 'reject' }, 'Further MFA verification attempts will be rejected.'],
])(
  'rejects an attempt when the application rejects %s, and ends every session',
  async (_how, hookResponse, message) => {
    const { user, app, prove, accessToken } = await start(() => hookResponse)
    await auth.auth.api.signInWithPassword({ email: user.email ?? '', password: 'correct horse' })

    const answer = await prove(factors.codeOf(app))

    expect(statusAndCode(answer)).toEqual([403, 'mfa_verification_rejected', message])
    expect((await auth.get('/user', { token: accessToken })).body.error_code).toBe(
      'session_not_found',
    )
    expect(await auth.auth.admin.listSessions(user.id)).toEqual([])
    const [factor] = await auth.auth.admin.listFactors(user.id)
    expect(factor?.status).toBe('unverified')
  },
)

it('returns the hook’s message, with a code that the description names', async () => {
  const no = { error: { http_code: 403, message: 'Not from here' } }
  const { app, prove } = await start(() => no)

  const answer = await prove(factors.codeOf(app))

  expect(statusAndCode(answer)).toEqual([403, 'unknown', 'Not from here'])
  expect(verifyFactorEndpoint.errors).toContain('unknown')
})

it('rejects every attempt while the hook fails', async () => {
  const { app, prove } = await start(() => {
    throw new Error('broken')
  })

  expect((await prove(factors.codeOf(app))).status).toBe(500)
  const rows = await auth.rows('select status from auth.factors')
  expect(rows).toEqual([{ status: 'unverified' }])
})

it.each(['deny', 'rejected', 'Reject', 'reject ', '', null, true, ['reject']])(
  'rejects an attempt with an unknown decision: %j',
  async (decision) => {
    const { app, prove } = await start(() => ({ decision }))

    expect((await prove(factors.codeOf(app))).status).toBe(500)
    const rows = await auth.rows('select status from auth.factors')
    expect(rows).toEqual([{ status: 'unverified' }])
  },
)

it.each([undefined, 'continue'])(
  'accepts the attempt when the application returns no decision: %j',
  async (decision) => {
    const { app, prove } = await start(() => ({ decision }))

    expect((await prove(factors.codeOf(app))).status).toBe(200)
  },
)

it('T31: an unverified factor cannot bypass one that is verified during the hook call', async () => {
  let meanwhile: () => Promise<unknown> = async () => null
  const { user, app, prove, accessToken } = await start(async () => {
    const once = meanwhile
    meanwhile = async () => null
    await once()
    return { decision: 'continue' }
  })
  const other = await factors.enrolledApp(accessToken, 'the owner’s')
  // The same session remains after the proof, but the token of the pending attempt stays at aal1.
  meanwhile = () => factors.prove(accessToken, other)

  const answer = await prove(factors.codeOf(app))

  expect([404, 403]).toContain(answer.status)
  const listed = await auth.auth.admin.listFactors(user.id)
  expect(listed.map(({ id, status }) => [id, status])).toEqual([[other.id, 'verified']])
})

it('calls the hook for security keys as well, and rejects an attempt that it rejects', async () => {
  const received: MfaVerificationPayload[] = []
  auth = await startTestAuth({
    ...withSecurityKeys,
    hooks: {
      mfaVerificationAttempt: (payload) => {
        received.push(payload as MfaVerificationPayload)
        return { decision: received.length < 3 ? 'continue' : 'reject' }
      },
    },
  })
  const keys = securityKeysOf(auth)
  const { user, factorId, authenticator, accessToken } = await keys.holder()

  const forged = await keys.prove(accessToken, factorId, authenticator, { forged: true })
  const right = await keys.prove(accessToken, factorId, authenticator)

  expect([forged.status, right.status, right.body.error_code]).toEqual([
    422,
    403,
    'mfa_verification_rejected',
  ])
  const about = { user_id: user.id, factor_id: factorId, factor_type: 'webauthn' }
  expect(received).toMatchObject([
    { ...about, valid: true },
    { ...about, valid: false },
    { ...about, valid: true },
  ])
  expect(await auth.auth.admin.listSessions(user.id)).toEqual([])
})
