import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testSecret } from '../../../test/support/test-auth.ts'
import type {
  MfaVerificationPayload,
  SendEmailPayload,
} from '../../platform/config/sections/hooks.ts'

// The verification of recovery codes, and its limits.

let auth: TestAuth
let factors: SecondFactors
let received: SendEmailPayload[] = []

beforeAll(async () => {
  auth = await startTestAuth({
    email: {
      autoconfirm: true,
      notifications: {
        mfaFactorEnrolled: true,
        mfaFactorUnenrolled: true,
        mfaRecoveryCodeUsed: true,
      },
    },
    hooks: { sendEmail: (payload) => void received.push(payload as SendEmailPayload) },
  })
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const failed = [422, 'mfa_verification_failed']
const locked = [429, 'mfa_recovery_codes_locked']
const status = (token: string) => auth.get('/factors/recovery-codes', { token })

/** Creates a user with recovery codes, signed in by password only. */
async function locksmith() {
  const { codes, user, ...strong } = await factors.recoverableSession()
  const weak = await factors.signIn(user.email)
  return { ...strong, user, code: codes[0] ?? '', codes, weak }
}

describe('a recovery code', () => {
  it('raises the session to aal2, in place and with new tokens', async () => {
    const { weak, code, user } = await locksmith()

    const { status: answered, body } = await factors.useCode(weak.accessToken, code)

    expect(answered).toBe(200)
    const [before, after] = [claimsIn(weak.accessToken), claimsIn(body.access_token)]
    expect(after).toMatchObject({
      aal: 'aal2',
      session_id: before.session_id,
      amr: [{ method: 'mfa/recovery_code' }, { method: 'password' }],
    })
    expect(body.user.id).toBe(user.id)
    const { body: renewed } = await factors.refresh(body.refresh_token)
    expect(claimsIn(renewed.access_token).aal).toBe('aal2')
  })

  it('is accepted once, in any session', async () => {
    const { weak, code, user } = await locksmith()
    const { body } = await factors.useCode(weak.accessToken, code)
    const { accessToken: later } = await factors.signIn(user.email)

    const again = [
      await factors.useCode(body.access_token, code),
      await factors.useCode(later, code),
    ]

    expect(again.map(statusAndCode)).toEqual([failed, failed])
    expect((await status(later)).body).toMatchObject({ total: 10, remaining: 9 })
  })

  it('may be typed in capitals, with spaces and hyphens', async () => {
    const { weak, code } = await locksmith()
    const typed = ` ${code.toUpperCase().match(/.{4}/g)?.join('-')}\u00a0\n`

    expect((await factors.useCode(weak.accessToken, typed)).status).toBe(200)
  })

  it.each(['0', ' ', '{}', 'é'.repeat(300), 'a'.repeat(16)])('is not %j', async (typed) => {
    const { weak } = await locksmith()

    expect(statusAndCode(await factors.useCode(weak.accessToken, typed))).toEqual(failed)
  })

  it('that is missing, or not a string, is a malformed request', async () => {
    const { weak } = await locksmith()
    const post = (body: object) =>
      auth.post('/factors/recovery-codes/verify', body, { token: weak.accessToken })

    const answers = [await post({}), await post({ code: 7 })]

    expect(answers.map(statusAndCode)).toEqual([
      [400, 'validation_failed'],
      [400, 'bad_json'],
    ])
    for (const { body } of answers) expect(body.msg).toContain('code')
  })

  it('gets the same response when it is wrong, used, or the user has none', async () => {
    const { weak, codes, code } = await locksmith()
    const { accessToken: withoutCodes } = await auth.given.session()
    const wrong = await factors.useCode(weak.accessToken, 'aaaabbbbccccdddd')
    const { body } = await factors.useCode(weak.accessToken, code)
    const spent = await factors.useCode(body.access_token, code)
    const none = await factors.useCode(withoutCodes, codes[1] ?? '')

    const answers = [wrong, spent, none].map(({ status, body: { request_id: _, ...rest } }) => [
      status,
      rest,
    ])
    expect(answers).toEqual(answers.map(() => answers[0]))
  })

  it('ends weaker sessions of the user, and no others', async () => {
    const { weak, code, user, accessToken } = await locksmith()
    const other = await factors.signIn(user.email)
    const otherUser = await auth.given.session()

    await factors.useCode(weak.accessToken, code)

    const ask = async (token: string) => (await auth.get('/user', { token })).status
    expect(await ask(other.accessToken)).toBe(403)
    expect([await ask(accessToken), await ask(otherUser.accessToken)]).toEqual([200, 200])
  })

  it('permits changes that require aal2, and the enrollment of another factor', async () => {
    const { weak, code, app } = await locksmith()
    const { body } = await factors.useCode(weak.accessToken, code)
    const token = body.access_token

    const renamed = await auth.put('/user', { password: 'a brand new password' }, { token })
    const enrolled = await factors.enrolledApp(token, 'new phone')
    const { body: proved } = await factors.prove(token, enrolled)
    const removed = await factors.unenroll(proved.access_token, app.id)

    expect([renamed.status, removed.status]).toEqual([200, 200])
    expect((await status(proved.access_token)).body).toMatchObject({ remaining: 9 })
  })

  it('is accepted after a restart, and after a change of root keys while the old one is configured', async () => {
    const { weak, code } = await locksmith()
    const beside = await auth.beside({
      encryptionKey: ['another root key of 32 bytes or more', testSecret],
    })

    const { status: answered } = await beside.request('POST', '/factors/recovery-codes/verify', {
      token: weak.accessToken,
      body: { code },
    })

    expect(answered).toBe(200)
    await beside.close()
  })
})

describe('guessing', () => {
  it('T08: accepts 30 codes of a user, also concurrently, and one more every two minutes', async () => {
    const { weak, code, accessToken: strong } = await locksmith()
    const guess = (code: string, ip: string) =>
      auth.post('/factors/recovery-codes/verify', { code }, { token: weak.accessToken, ip })

    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        guess('aaaabbbbccccdddd', `198.51.${at % 4}.9`).then(statusAndCode),
      ),
    )
    const right = await guess(code, '203.0.113.10')
    auth.clock.advance(121)
    const later = await guess(code, '203.0.113.10')

    expect(guesses.filter(([, word]) => word === failed[1])).toHaveLength(30)
    expect(guesses.filter(([, word]) => word === locked[1])).toHaveLength(10)
    expect(statusAndCode(right)).toEqual(locked)
    expect(right.headers.get('retry-after')).toBe('120')
    expect(later.status).toBe(200)
    expect((await status(strong)).body).toMatchObject({ remaining: 9 })
  })

  it('S16: leaves attempts to the user while a /24 guesses from all its addresses', async () => {
    const { weak, code } = await locksmith()
    const guess = (code: string, ip: string) =>
      auth.post('/factors/recovery-codes/verify', { code }, { token: weak.accessToken, ip })

    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        guess('aaaabbbbccccdddd', `198.51.100.${at}`).then(statusAndCode),
      ),
    )

    expect(guesses.filter(([, word]) => word === failed[1])).toHaveLength(25)
    expect((await guess(code, '203.0.113.10')).status).toBe(200)
  })

  it('leaves attempts to the user while one client guesses', async () => {
    const { weak, code } = await locksmith()
    const guess = (code: string, ip: string) =>
      auth.post('/factors/recovery-codes/verify', { code }, { token: weak.accessToken, ip })

    const guesses = await Promise.all(
      Array.from({ length: 40 }, () =>
        guess('aaaabbbbccccdddd', '198.51.100.66').then(statusAndCode),
      ),
    )

    expect(guesses.filter(([, word]) => word === failed[1])).toHaveLength(20)
    expect((await guess(code, '203.0.113.10')).status).toBe(200)
  })

  it('is not accepted by other factors, nor their codes by it, and ends with another set', async () => {
    const { weak, app, accessToken: strong } = await locksmith()
    for (let tries = 0; tries < 31; tries += 1) await factors.useCode(weak.accessToken, 'wrong')
    expect(statusAndCode(await factors.useCode(weak.accessToken, 'wrong'))).toEqual(locked)

    const { body } = await auth.post('/factors/recovery-codes/regenerate', undefined, {
      token: strong,
    })

    expect((await factors.useCode(weak.accessToken, body.codes[0])).status).toBe(200)
    expect((await factors.prove(strong, app)).status).toBe(200)
  })
})

describe('tokens from before', () => {
  it('T09: a refresh token from before the code never yields aal2', async () => {
    const { weak, code } = await locksmith()
    const { body } = await factors.useCode(weak.accessToken, code)

    const old = await factors.refresh(weak.refreshToken)
    const newest = await factors.refresh(body.refresh_token)

    expect([old, newest].map(statusAndCode)).toEqual([
      [400, 'refresh_token_already_used'],
      [400, 'refresh_token_already_used'],
    ])
    expect((await auth.get('/user', { token: body.access_token })).status).toBe(403)
  })

  it('T09: an access token from before the code keeps its level', async () => {
    const { weak, code } = await locksmith()
    await factors.useCode(weak.accessToken, code)
    const token = weak.accessToken

    const changed = await auth.put('/user', { password: 'a brand new password' }, { token })

    expect(statusAndCode(changed)).toEqual([401, 'insufficient_aal'])
  })
})

it('T31: no first factor replaces the second, which includes codes', async () => {
  const { user } = await factors.recoverableSession()
  const email = user.email ?? ''
  const link = async (type: 'magiclink' | 'recovery') => {
    const { hashedToken } = await auth.auth.admin.generateLink({ type, email })
    const { session } = await auth.auth.api.verifyOtp({ type, tokenHash: hashedToken })
    return session?.accessToken ?? ''
  }
  const tokens = [
    (await factors.signIn(email)).accessToken,
    await link('magiclink'),
    await link('recovery'),
  ]
  const path = '/factors/recovery-codes'

  for (const token of tokens) {
    const answers = [
      await auth.put('/user', { password: 'a brand new password' }, { token }),
      await factors.generateCodes(token),
      await auth.post(`${path}/regenerate`, undefined, { token }),
      await auth.request('DELETE', path, { token }),
      await factors.enroll(token, { factor_type: 'totp', friendly_name: 'second' }),
    ]
    expect(answers.map(statusAndCode)).toEqual(
      [401, 403, 403, 422, 403].map((code) => [code, 'insufficient_aal']),
    )
  }
})

it('causes mails when codes are generated, replaced, used and removed', async () => {
  const session = await locksmith()
  const settled = async () => (await auth.deps()).outbox.settled()
  await settled()
  received = received.filter(({ user }) => user.id === session.user.id)
  const { accessToken: token, code, weak } = session

  await factors.useCode(weak.accessToken, code)
  await settled()
  await auth.post('/factors/recovery-codes/regenerate', undefined, { token })
  await settled()
  await auth.request('DELETE', '/factors/recovery-codes', { token })
  await settled()

  const notices = received.map(
    ({ email_data: { email_action_type: type, factor_type: factor } }) => [type, factor],
  )
  expect(notices).toEqual([
    ['mfa_factor_enrolled_notification', 'totp'],
    ['mfa_factor_enrolled_notification', 'recovery_code'],
    ['mfa_recovery_code_used_notification', ''],
    ['mfa_factor_enrolled_notification', 'recovery_code'],
    ['mfa_factor_unenrolled_notification', 'recovery_code'],
  ])
})

it('is recorded', async () => {
  const { weak, code, user, setId, accessToken: token } = await locksmith()
  auth.clock.advance(1)
  await factors.useCode(weak.accessToken, code)
  auth.clock.advance(1)
  await auth.request('DELETE', '/factors/recovery-codes', { token })

  const { entries } = await auth.auth.admin.listAudit({ query: `author:${user.email}` })

  const about = entries.filter(({ traits }) => traits?.['factor_id'] === setId)
  expect(about.map(({ action }) => action).toReversed()).toEqual([
    'recovery_codes_generated',
    'verification_attempted',
    'factor_unenrolled',
  ])
})

it('calls the hook for each attempt, and rejects it on the hook’s decision', async () => {
  const requested: MfaVerificationPayload[] = []
  const strict = await startTestAuth({
    hooks: {
      mfaVerificationAttempt: (payload) => {
        const attempt = payload as MfaVerificationPayload
        requested.push(attempt)
        return attempt.factor_type === 'recovery_code' && !attempt.valid
          ? { decision: 'reject' }
          : { decision: 'continue' }
      },
    },
  })
  const people = secondFactors(strict)
  const { user, codes, setId, accessToken } = await people.recoverableSession()
  const { accessToken: weak } = await people.signIn(user.email)

  const right = await people.useCode(weak, codes[0] ?? '')
  const wrong = await people.useCode(right.body.access_token, codes[0] ?? '')

  expect([right.status, statusAndCode(wrong)]).toEqual([200, [403, 'mfa_verification_rejected']])
  const of = { user_id: user.id, factor_id: setId, factor_type: 'recovery_code' }
  expect(requested.slice(-2)).toMatchObject([
    { ...of, valid: true },
    { ...of, valid: false },
  ])
  expect((await strict.get('/user', { token: accessToken })).status).toBe(403)
  await strict.close()
})
