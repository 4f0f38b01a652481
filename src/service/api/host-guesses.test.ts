import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostsByOption, type JoinedHost } from '../../../test/support/host.ts'
import { secondFactors, totpOf } from '../../../test/support/second-factors.ts'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import type { CallOptions } from './call-options.ts'

// A host that rolls back after each wrong guess must not make guesses free.

let auth: TestAuth
let host: JoinedHost
let code = ''

beforeAll(async () => {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    hooks: {
      ...withoutAutoconfirm.hooks,
      sendEmail: ({ email_data }) => {
        code = email_data.token
      },
    },
  })
  await auth.auth.ready()
})
afterAll(() => auth.close())

/** Guesses in a transaction that a wrong guess rolls back. */
const guessing = (guess: (joined: CallOptions) => Promise<unknown>) =>
  host.transaction(guess).then(
    () => 'right',
    (error: { code: string }) => error.code,
  )

describe.each(Object.entries(hostsByOption))('by %s, a rollback', (_, open) => {
  beforeAll(async () => {
    host = await open(auth.databaseUrl)
  })
  afterAll(() => host.close())

  it('does not return an attempt at a code', async () => {
    const { email } = await auth.given.user()
    await auth.auth.api.signInWithOtp({ email: email ?? '' })
    await (await auth.deps()).outbox.settled()
    const wrong = code === '000000' ? '111111' : '000000'
    const guess = (token: string) =>
      guessing((joined) =>
        auth.auth.api.verifyOtp({ type: 'email', email: email ?? '', token }, joined),
      )

    for (let tries = 0; tries < 30; tries += 1) expect(await guess(wrong)).toBe('otp_expired')

    expect(await guess(code)).toBe('otp_expired')
    auth.clock.advance(10 * 60)
    expect(await guess(code)).toBe('right')
  })

  it('does not return an attempt at a password', async () => {
    const { email } = await auth.given.user()
    const guess = (password: string) =>
      guessing((joined) =>
        auth.auth.api.signInWithPassword({ email: email ?? '', password }, joined),
      )

    for (let tries = 0; tries < 100; tries += 1) {
      expect(await guess('a wrong one')).toBe('invalid_credentials')
    }

    expect(await guess(testPassword)).toBe('over_request_rate_limit')
  })

  it('does not return an attempt at a second factor', async () => {
    const { accessToken } = await auth.given.session()
    const { api } = auth.auth
    const { id: factorId, totp } = await api.enrollFactor({ accessToken, factorType: 'totp' })
    const guess = async (code: string) => {
      const { id: challengeId } = await api.challengeFactor({ accessToken, factorId })
      const proof = { accessToken, factorId, challengeId, code }
      return guessing((joined) => api.verifyFactor(proof, joined))
    }
    const right = totpOf(totp?.secret ?? '', auth.clock.now())
    const wrong = right === '000000' ? '111111' : '000000'

    for (let tries = 0; tries < 30; tries += 1) {
      expect(await guess(wrong)).toBe('mfa_verification_failed')
    }

    expect(await guess(right)).toBe('over_request_rate_limit')
  })

  it('does not return an attempt at a recovery code', async () => {
    const { user, codes } = await secondFactors(auth).recoverableSession()
    const { accessToken } = await secondFactors(auth).signIn(user.email)
    const guess = (code: string) =>
      guessing((joined) => auth.auth.api.verifyRecoveryCode({ accessToken, code }, joined))

    for (let tries = 0; tries < 30; tries += 1) {
      expect(await guess('wrong')).toBe('mfa_verification_failed')
    }

    expect(await guess(codes[0] ?? '')).toBe('mfa_recovery_codes_locked')
  })
})
