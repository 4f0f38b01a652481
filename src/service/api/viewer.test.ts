import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `viewer-${++made}@example.test`
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/**
 * Returns the result of each function that identifies the user of a request: the id of the user, or
 * the error code.
 */
const decisions = (token: string): Promise<unknown[]> => {
  const outcome = (pending: Promise<{ id: string }>) =>
    pending.then(
      ({ id }) => id,
      ({ code }) => code,
    )
  const { requireUser, verifyToken } = auth.auth
  return Promise.all([
    outcome(requireUser(bearing(token)).then(({ user }) => user)),
    outcome(requireUser(bearing(token), { strict: false }).then(({ userId: id }) => ({ id }))),
    outcome(verifyToken(token).then(({ sub }) => ({ id: sub ?? '' }))),
  ])
}

describe('H15: a token of an audience that its user chose', () => {
  it('is rejected alike, with the database and without', async () => {
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'elsewhere' })
    const headers = { 'x-jwt-aud': 'elsewhere' }
    const body = { email: newEmail(), password: testPassword }
    const { body: signedUp } = await auth.post('/signup', body, { headers })

    expect(signedUp.user.aud).toBe('elsewhere')
    expect(await decisions(signedUp.access_token)).toEqual(['bad_jwt', 'bad_jwt', 'bad_jwt'])
    expect((await auth.get('/user', { token: signedUp.access_token })).status).toBe(200)
  })

  it.each([
    ['of the application', 'authenticated', true],
    ['of several, one of them of the application', ['elsewhere', 'authenticated'], true],
    ['without an audience', undefined, true],
    ['of several others', ['elsewhere', 'nowhere'], false],
    ['of none', [], false],
    ['of an empty one', '', false],
    ['of one that is no text', { authenticated: true }, false],
    ['of one in letters of another case', 'Authenticated', false],
  ])('%s is decided alike', async (_whose, aud, isAccepted) => {
    const user = await auth.auth.admin.createUser({ email: newEmail(), audience: 'elsewhere' })
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, ...(aud !== undefined && { aud }) })

    const expected = isAccepted ? user.id : 'bad_jwt'
    expect(await decisions(token)).toEqual([expected, expected, expected])
  })
})

it('requireUser returns the present assurance level of a session, not that of its token', async () => {
  const factors = secondFactors(auth)
  const { user, app, accessToken: strong, weak } = await factors.aal2Session(newEmail())
  const aalOf = async (token: string) => (await auth.auth.requireUser(bearing(token))).aal

  const before = [await aalOf(strong), await aalOf(weak.accessToken)]
  await auth.auth.admin.deleteFactor(user.id, app.id)
  const { aal, claims } = await auth.auth.requireUser(bearing(strong))

  expect(before).toEqual(['aal2', 'aal1'])
  expect([aal, claims.aal]).toEqual(['aal1', 'aal2'])
})

it('requireUser queries the database by default', async () => {
  const { accessToken } = await auth.given.session(newEmail())
  await auth.auth.api.signOut({ accessToken })

  for (const options of [{}, { strict: undefined }, { strict: null }, { strict: true }]) {
    const pending = auth.auth.requireUser(bearing(accessToken), options as never)
    await expect(pending).rejects.toMatchObject({ code: 'session_not_found' })
  }
})
