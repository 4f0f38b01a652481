import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, openHost } from '../../../test/support/host.ts'
import { totpOf } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let host: Host

beforeAll(async () => {
  auth = await startTestAuth({ mfa: { phone: { enrollEnabled: true } } })
  host = await openHost(auth.databaseUrl)
})
afterAll(async () => {
  await host.close()
  await auth.close()
})

const enroll = async (accessToken: string) => {
  const { api } = auth.auth
  const factor = await api.enrollFactor({ accessToken, factorType: 'totp', friendlyName: 'app' })
  const challenge = await api.challengeFactor({ accessToken, factorId: factor.id })
  const code = totpOf(factor.totp?.secret ?? '', auth.clock.now())
  return { factor, challenge, code, factorId: factor.id, challengeId: challenge.id }
}

describe('second factors in code', () => {
  it('are enrolled, challenged, verified and unenrolled', async () => {
    const { api } = auth.auth
    const { user, accessToken: weak } = await auth.given.session()

    const { factor, challenge, code, factorId, challengeId } = await enroll(weak)
    const proved = await api.verifyFactor({ accessToken: weak, factorId, challengeId, code })
    const { accessToken } = proved.session
    const found = await api.getUser({ accessToken })
    await api.unenrollFactor({ accessToken, factorId })

    expect(factor).toMatchObject({ factorType: 'totp', friendlyName: 'app', phone: null })
    expect(challenge).toEqual({
      id: challengeId,
      factorType: 'totp',
      webAuthn: null,
      expiresAt: new Date(auth.clock.now().getTime() + 300_000),
    })
    expect(await auth.auth.verifyToken(accessToken)).toMatchObject({ sub: user.id, aal: 'aal2' })
    expect(proved.user).toEqual(found)
    expect(found.factors).toMatchObject([{ id: factorId, status: 'verified' }])
    expect((await api.getUser({ accessToken })).factors).toEqual([])
  })

  it('are recovery codes, too', async () => {
    const { api, verifyToken } = auth.auth
    const { accessToken: weak } = await auth.given.session()
    const { code: shown, factorId, challengeId } = await enroll(weak)
    const answer = { accessToken: weak, factorId, challengeId, code: shown }
    const { accessToken } = (await api.verifyFactor(answer)).session

    auth.clock.advance(1)
    const generated = await api.generateRecoveryCodes({ accessToken, friendlyName: 'Paper' })
    const { user, session } = await api.verifyRecoveryCode({
      accessToken,
      code: generated.codes[3] ?? '',
    })
    const own = { accessToken: session.accessToken }
    const counted = await api.getRecoveryCodes(own)
    const replaced = await api.regenerateRecoveryCodes(own)
    await api.unenrollRecoveryCodes(own)

    const { id } = generated
    expect(generated).toEqual({ id, friendlyName: 'Paper', codes: expect.any(Array) })
    expect(user.factors).toMatchObject([
      { factorType: 'totp' },
      { id, factorType: 'recovery_code' },
    ])
    expect(await verifyToken(session.accessToken)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/recovery_code' }, { method: 'totp' }, { method: 'password' }],
    })
    expect(counted).toEqual({ id, total: 10, remaining: 9 })
    expect(replaced).toMatchObject({ id, friendlyName: 'Paper' })
    expect(replaced.codes).not.toContain(generated.codes[0])
    await expect(api.getRecoveryCodes({ accessToken })).rejects.toMatchObject({
      code: 'mfa_factor_not_found',
    })
  })

  it('have no secrets for a phone', async () => {
    const { accessToken } = await auth.given.session()
    const phone = '+49 1555 0000001'

    const factor = await auth.auth.api.enrollFactor({ accessToken, factorType: 'phone', phone })

    expect(factor).toMatchObject({ factorType: 'phone', phone: '4915550000001', totp: null })
  })

  it.each([
    ['factorId', { factorId: 7 }, 'bad_json'],
    ['factorId', { factorId: 'x' }, 'validation_failed'],
    ['challengeId', { challengeId: 'x' }, 'bad_json'],
    ['code', { code: '' }, 'validation_failed'],
  ])('reject a wrong %s', async (_field, change, code) => {
    const { accessToken } = await auth.given.session()
    const right = await enroll(accessToken)
    const { factorId, challengeId } = right
    const input = { accessToken, factorId, challengeId, code: right.code, ...change }

    await expect(auth.auth.api.verifyFactor(input as never)).rejects.toMatchObject({ code })
  })

  it('are committed or rolled back with the transaction of the host', async () => {
    const { user, accessToken } = await auth.given.session()

    const rolledBack = host.transaction(async (em) => {
      await auth.auth.api.enrollFactor({ accessToken, factorType: 'totp' }, { em })
      throw new Error('changed my mind')
    })

    await expect(rolledBack).rejects.toThrow('changed my mind')
    expect(await auth.auth.admin.listFactors(user.id)).toEqual([])
  })
})
