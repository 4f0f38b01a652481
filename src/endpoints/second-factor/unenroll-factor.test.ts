import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

describe('DELETE /factors/{factor_id}', () => {
  it('removes from every session the assurance that the factor proved', async () => {
    const { user, app, accessToken, refreshToken } = await factors.aal2Session()
    const second = await factors.signIn(user.email)
    const { body: proved } = await factors.prove(second.accessToken, app)

    const { status, body } = await factors.unenroll(accessToken, app.id)

    expect([status, body]).toEqual([200, { id: app.id }])
    for (const token of [refreshToken, proved.refresh_token]) {
      const after = (await factors.refresh(token)).body
      expect(claimsIn(after.access_token)).toMatchObject({
        aal: 'aal1',
        amr: [{ method: 'password' }],
      })
      expect(after.user).not.toHaveProperty('factors')
    }
    expect(statusAndCode(await factors.unenroll(accessToken, app.id))).toEqual([
      404,
      'mfa_factor_not_found',
    ])
  })

  it('does not affect a session that another factor proved', async () => {
    const { accessToken: token, app, refreshToken } = await factors.aal2Session()
    const other = await factors.enrolledApp(token, 'other')
    const { body } = await factors.prove(token, other)

    const removed = await factors.unenroll(body.access_token, app.id)

    expect(removed.status).toBe(200)
    expect(claimsIn((await factors.refresh(body.refresh_token)).body.access_token).aal).toBe('aal2')
    expect((await factors.refresh(refreshToken)).status).toBe(400)
  })

  it('requires the factor itself, unless it was never verified', async () => {
    const { user, app, accessToken: strong } = await factors.aal2Session()
    const unverified = await factors.enrolledApp(strong, 'unverified')
    const { accessToken: weak } = await factors.signIn(user.email)

    const answers = [
      await factors.unenroll(weak, app.id),
      await factors.unenroll(weak, unverified.id),
      await factors.unenroll(strong, app.id),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'insufficient_aal'],
      [200, undefined],
      [200, undefined],
    ])
  })
})
