import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

// Requests that a user with a second factor must prove it for.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

describe('a verified factor', () => {
  it('does not make the next sign-in one at aal2', async () => {
    const { user } = await factors.aal2Session()

    const { body } = await auth.post('/token?grant_type=password', {
      email: user.email,
      password: testPassword,
    })

    expect(claimsIn(body.access_token)).toMatchObject({
      aal: 'aal1',
      amr: [{ method: 'password' }],
    })
    expect(body.user.factors).toMatchObject([{ status: 'verified' }])
  })

  it('is required for changes of password and addresses, and for nothing else', async () => {
    const { user, app } = await factors.aal2Session()
    const { accessToken: token } = await factors.signIn(user.email)
    const change = (body: object, by = token) => auth.put('/user', body, { token: by })

    const refused = [
      await change({ password: 'a brand new password' }),
      await change({ email: 'elsewhere@example.test' }),
      await change({ phone: '+15551234567' }),
    ]
    const allowed = [await change({ data: { x: 1 } }), await change({ email: user.email })]
    const { body } = await factors.prove(token, app)
    const after = await change({ password: 'a brand new password' }, body.access_token)

    expect(refused.map(statusAndCode)).toEqual(refused.map(() => [401, 'insufficient_aal']))
    expect(allowed.map(({ status }) => status)).toEqual([200, 200])
    expect(after.status).toBe(200)
  })

  it('is also required of a token without a session', async () => {
    const { user } = await factors.aal2Session()
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated', role: 'authenticated' })

    const changed = await auth.put('/user', { password: 'a brand new password' }, { token })

    expect(statusAndCode(changed)).toEqual([401, 'insufficient_aal'])
  })
})

it('T31: no first factor replaces the second', async () => {
  const { user, app } = await factors.aal2Session()
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
    (await factors.refresh((await factors.signIn(email)).refreshToken)).body.access_token,
  ]

  for (const token of tokens) {
    const changed = await auth.put('/user', { password: 'a brand new password' }, { token })
    expect(statusAndCode(changed)).toEqual([401, 'insufficient_aal'])
    expect(statusAndCode(await factors.unenroll(token, app.id))).toEqual([422, 'insufficient_aal'])
  }
})
