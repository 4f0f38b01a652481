import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Generation and removal of recovery codes. Their verification: use-recovery-code.test.ts.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const path = '/factors/recovery-codes'
const status = (token: string) => auth.get(path, { token })
const regenerate = (token: string) => auth.post(`${path}/regenerate`, undefined, { token })
const remove = (token: string) => auth.request('DELETE', path, { token })

describe('recovery codes', () => {
  it('are ten, shown once, and stored only as hashes', async () => {
    const { accessToken: token, user } = await factors.aal2Session()

    const { status: answered, body } = await factors.generateCodes(token, { friendly_name: 'Safe' })

    expect(answered).toBe(200)
    expect(body).toMatchObject({ type: 'recovery_code', friendly_name: 'Safe', total: 10 })
    expect(new Set(body.codes).size).toBe(10)
    for (const code of body.codes) expect(code).toMatch(/^[a-z2-7]{16}$/)
    const rows = await auth.rows('select * from auth.recovery_codes where factor_id = $1', [
      body.id,
    ])
    expect(rows).toHaveLength(10)
    const kept = JSON.stringify([
      rows,
      await auth.rows('select * from auth.factors where user_id = $1', [user.id]),
      await auth.rows('select * from auth.audit_entries where user_id = $1', [user.id]),
    ])
    for (const code of body.codes) expect(kept).not.toContain(code)
    expect((await status(token)).body).toEqual({
      id: body.id,
      type: 'recovery_code',
      total: 10,
      remaining: 10,
    })
  })

  it('have a name that no other factor has', async () => {
    const { accessToken: token, setId } = await factors.recoverableSession()
    const [row] = await auth.rows('select friendly_name from auth.factors where id = $1', [setId])
    const { accessToken: other } = await factors.aal2Session()

    const taken = await factors.generateCodes(other, { friendly_name: 'app' })
    const late = await factors.enroll(token, {
      factor_type: 'totp',
      friendly_name: 'Recovery codes',
    })

    expect(row).toEqual({ friendly_name: 'Recovery codes' })
    expect([taken, late].map(statusAndCode)).toEqual([
      [422, 'mfa_factor_name_conflict'],
      [422, 'mfa_factor_name_conflict'],
    ])
  })

  it('are not in the user object of the wire, which older clients cannot parse', async () => {
    const { accessToken: token, app, user, setId } = await factors.recoverableSession()

    const { body } = await auth.get('/user', { token })
    const listed = await auth.auth.admin.listFactors(user.id)

    expect(body.factors.map(({ id }: { id: string }) => id)).toEqual([app.id])
    expect(listed.map(({ id }) => id)).toEqual([app.id, setId])
  })

  it('require another verified factor, and its proof', async () => {
    const { accessToken: withoutCodes } = await auth.given.session()
    await factors.enrolledApp(withoutCodes)
    const { user } = await factors.aal2Session()
    const { accessToken: weak } = await factors.signIn(user.email)

    const answers = [await factors.generateCodes(withoutCodes), await factors.generateCodes(weak)]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'mfa_recovery_codes_sole_factor'],
      [403, 'insufficient_aal'],
    ])
  })

  it('are one set per user', async () => {
    const { accessToken: token } = await factors.recoverableSession()

    expect(statusAndCode(await factors.generateCodes(token))).toEqual([
      422,
      'mfa_verified_factor_exists',
    ])
  })

  it('do not count as one of the ten factors of a user', async () => {
    const limited = await startTestAuth({ mfa: { maxEnrolledFactors: 1, maxVerifiedFactors: 2 } })
    const { accessToken: token } = await secondFactors(limited).aal2Session()

    expect((await secondFactors(limited).generateCodes(token)).status).toBe(200)
    await limited.close()
  })

  it('S150: end the assurance that a code of the former set gave to another session', async () => {
    const { accessToken: token, user, codes } = await factors.recoverableSession()
    const thief = await factors.signIn(user.email)
    const raised = await factors.useCode(thief.accessToken, codes[0] ?? '')
    expect(claimsIn(raised.body.access_token)).toMatchObject({ aal: 'aal2' })

    expect((await regenerate(token)).status).toBe(200)
    const renewed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: raised.body.refresh_token,
    })

    expect(claimsIn(renewed.body.access_token)).toMatchObject({ aal: 'aal1' })
    expect(claimsIn(renewed.body.access_token)['amr']).toEqual([
      expect.objectContaining({ method: 'password' }),
    ])
    expect((await regenerate(token)).status).toBe(200)
  })

  it('are replaced as a whole, under the same id and name', async () => {
    const { accessToken: token, user, codes, setId } = await factors.recoverableSession()
    const { accessToken: weak } = await factors.signIn(user.email)

    const refused = await regenerate(weak)
    const { body } = await regenerate(token)

    expect(statusAndCode(refused)).toEqual([403, 'insufficient_aal'])
    expect(body).toMatchObject({ id: setId, friendly_name: 'Recovery codes', total: 10 })
    const old = codes[0] ?? ''
    expect(body.codes).not.toContain(old)
    expect(statusAndCode(await factors.useCode(weak, old))).toEqual([
      422,
      'mfa_verification_failed',
    ])
    expect((await factors.useCode(weak, body.codes[0])).status).toBe(200)
  })

  it("are removed by their own path, and by their id, with the sessions' assurance by them", async () => {
    const first = await factors.recoverableSession()
    const second = await factors.recoverableSession()
    const { accessToken: weak, refreshToken } = await factors.signIn(first.user.email)

    const refused = await remove(weak)
    const { body: proved } = await factors.useCode(weak, first.codes[0] ?? '')
    const removed = [
      await remove(proved.access_token),
      await factors.unenroll(second.accessToken, second.setId),
    ]

    expect(statusAndCode(refused)).toEqual([422, 'insufficient_aal'])
    expect(removed.map(({ body }) => body)).toEqual([{ id: first.setId }, { id: second.setId }])
    const { body: after } = await factors.refresh(proved.refresh_token)
    expect(claimsIn(after.access_token)).toMatchObject({
      aal: 'aal1',
      amr: [{ method: 'password' }],
    })
    expect(refreshToken).not.toBe(proved.refresh_token)
    expect(statusAndCode(await status(first.accessToken))).toEqual([404, 'mfa_factor_not_found'])
    expect(
      await auth.rows('select * from auth.recovery_codes where factor_id = $1', [first.setId]),
    ).toEqual([])
  })

  it('are removed with the last other verified factor, and not before', async () => {
    const { accessToken: token, app, user, codes } = await factors.recoverableSession()
    const second = await factors.enrolledApp(token, 'second')
    const { body } = await factors.prove(token, second)
    const { accessToken: weak } = await factors.signIn(user.email)
    const { body: recovered } = await factors.useCode(weak, codes[0] ?? '')

    await factors.unenroll(body.access_token, app.id)
    const kept = await status(body.access_token)
    await factors.unenroll(body.access_token, second.id)
    const deleted = await status(body.access_token)

    expect([statusAndCode(kept), statusAndCode(deleted)]).toEqual([
      [200, undefined],
      [404, 'mfa_factor_not_found'],
    ])
    expect(await auth.auth.admin.listFactors(user.id)).toEqual([])
    const { body: after } = await factors.refresh(recovered.refresh_token)
    expect(claimsIn(after.access_token)).toMatchObject({ aal: 'aal1' })
    expect(statusAndCode(await factors.generateCodes(after.access_token))).toEqual([
      422,
      'mfa_recovery_codes_sole_factor',
    ])
  })

  it('are removed when an operator removes the last other factor', async () => {
    const { app, user } = await factors.recoverableSession()

    await auth.auth.admin.deleteFactor(user.id, app.id)

    expect(await auth.auth.admin.listFactors(user.id)).toEqual([])
  })

  it('stay when the password changes', async () => {
    const { accessToken: token, user, codes } = await factors.recoverableSession()
    await auth.put('/user', { password: 'a brand new password' }, { token })
    const { session } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: 'a brand new password',
    })

    expect((await factors.useCode(session.accessToken, codes[0] ?? '')).status).toBe(200)
  })

  it('cannot be challenged as a factor', async () => {
    const { accessToken: token, setId } = await factors.recoverableSession()
    const body = { challenge_id: setId, code: '123456' }

    const answers = [
      await auth.post(`/factors/${setId}/challenge`, {}, { token }),
      await auth.post(`/factors/${setId}/verify`, body, { token }),
    ]

    expect(answers.map(statusAndCode)).toEqual(answers.map(() => [404, 'mfa_factor_not_found']))
  })

  it('are exported to their user without their hashes', async () => {
    const { user, setId } = await factors.recoverableSession()

    const exported = await (await auth.auth.admin.exportUser(user.id)).read()

    const rows = exported.recoveryCodes
    expect(rows).toHaveLength(10)
    expect(Object.keys(rows[0] ?? {}).toSorted()).toEqual([
      'createdAt',
      'factorId',
      'id',
      'spentAt',
    ])
    expect(rows[0]).toMatchObject({ factorId: setId, spentAt: null })
  })

  it('are listed for operators, who remove them like any factor', async () => {
    const { user, setId, codes } = await factors.recoverableSession()
    const { accessToken: weak } = await factors.signIn(user.email)
    await factors.useCode(weak, codes[0] ?? '')
    const { admin } = auth.auth
    const token = await auth.given.serviceToken()
    const route = `/admin/users/${user.id}/factors/recovery-codes`

    const { body } = await auth.get(route, { token })
    const counted = await admin.getRecoveryCodes(user.id)
    await admin.deleteFactor(user.id, counted.id)

    expect(counted).toEqual({ id: setId, total: 10, remaining: 9 })
    expect(body).toEqual({ ...counted, type: 'recovery_code' })
    expect(statusAndCode(await auth.get(route, { token }))).toEqual([404, 'mfa_factor_not_found'])
    await expect(admin.getRecoveryCodes(user.id)).rejects.toMatchObject({
      code: 'mfa_factor_not_found',
    })
  })

  it('belong to one user: codes of another user are rejected', async () => {
    const ann = await factors.recoverableSession()
    const bob = await factors.recoverableSession()
    const { accessToken: weak } = await factors.signIn(bob.user.email)

    expect(statusAndCode(await factors.useCode(weak, ann.codes[0] ?? ''))).toEqual([
      422,
      'mfa_verification_failed',
    ])
    expect(statusAndCode(await factors.unenroll(bob.accessToken, ann.setId))).toEqual([
      404,
      'mfa_factor_not_found',
    ])
    expect((await status(ann.accessToken)).body).toMatchObject({ id: ann.setId, remaining: 10 })
  })
})

describe('with recovery codes disabled', () => {
  it('none are generated or accepted, and existing ones can be removed', async () => {
    const { codes, accessToken: token, user } = await factors.recoverableSession()
    const { accessToken: weak } = await factors.signIn(user.email)
    const off = await auth.beside({
      mfa: { recoveryCodes: { enrollEnabled: false, verifyEnabled: false } },
    })
    const post = (end: string, by: string) =>
      off.request('POST', path + end, { token: by, body: { code: codes[0] } })

    const answers = [
      await post('', token),
      await post('/regenerate', token),
      await post('/verify', weak),
      await off.request('GET', path, { token: weak }),
      await off.request('DELETE', path, { token }),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'mfa_recovery_codes_enroll_not_enabled'],
      [422, 'mfa_recovery_codes_enroll_not_enabled'],
      [422, 'mfa_recovery_codes_verify_not_enabled'],
      [200, undefined],
      [200, undefined],
    ])
    await off.close()
  })
})
