import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Tokens and sessions from before a proof.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

describe('a proof', () => {
  it('T09: a refresh token from before never yields aal2, and ends the session', async () => {
    const { weak, accessToken, refreshToken } = await factors.aal2Session()

    const old = await factors.refresh(weak.refreshToken)
    const newest = await factors.refresh(refreshToken)

    expect(statusAndCode(old)).toEqual([400, 'refresh_token_already_used'])
    expect(statusAndCode(newest)).toEqual([400, 'refresh_token_already_used'])
    expect((await auth.get('/user', { token: accessToken })).status).toBe(403)
  })

  it('T09: nor does the one before it, within the interval of reuse', async () => {
    const { refreshToken: first, accessToken } = await auth.given.session()
    const app = await factors.enrolledApp(accessToken)
    const { body: second } = await factors.refresh(first)
    await factors.prove(second.access_token, app)

    const answers = [await factors.refresh(first), await factors.refresh(second.refresh_token)]

    expect(answers.map(statusAndCode)).toEqual(
      answers.map(() => [400, 'refresh_token_already_used']),
    )
  })

  it('T09: an access token from before keeps its level', async () => {
    const { weak, app } = await factors.aal2Session()
    const token = weak.accessToken

    const answers = [
      await auth.put('/user', { password: 'a brand new password' }, { token }),
      await factors.enroll(token, { factor_type: 'totp', friendly_name: 'second' }),
      await factors.unenroll(token, app.id),
    ]

    expect(answers.map(statusAndCode)).toEqual(
      [401, 403, 422].map((status) => [status, 'insufficient_aal']),
    )
  })

  it('ends weaker sessions, and no others', async () => {
    const { user, app, accessToken } = await factors.aal2Session()
    const other = await factors.signIn(user.email)
    const third = await factors.signIn(user.email)
    const otherUser = await auth.given.session()

    const { body } = await factors.prove(other.accessToken, app)

    const codeFor = async (token: string) => statusAndCode(await auth.get('/user', { token }))
    expect(await codeFor(third.accessToken)).toEqual([403, 'session_not_found'])
    expect(statusAndCode(await factors.refresh(third.refreshToken))).toEqual([
      400,
      'refresh_token_not_found',
    ])
    for (const token of [accessToken, body.access_token, otherUser.accessToken]) {
      expect(await codeFor(token)).toEqual([200, undefined])
    }
  })
})
