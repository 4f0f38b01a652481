import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]

describe('the signed-in user', () => {
  it('is returned as stored', async () => {
    const { user, accessToken } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { userMetadata: { name: 'Ada' } })

    const { status, body } = await auth.get('/user', { token: accessToken })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: user.id,
      email: user.email,
      user_metadata: { name: 'Ada' },
      identities: [{ provider: 'email', user_id: user.id }],
    })
  })

  it('is not returned for another audience than the token’s', async () => {
    const { user, accessToken } = await auth.given.session()
    const { keys } = await auth.deps()
    const headers = { 'x-jwt-aud': 'elsewhere' }

    const answers = [
      await auth.get('/user', { token: accessToken, headers }),
      await auth.get('/user', { token: await keys.sign({ sub: user.id }) }),
      await auth.get('/user', { token: accessToken, headers: { 'x-jwt-aud': 'authenticated' } }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200])
    expect(answers[0]?.body.msg).toBe("Token audience doesn't match request audience")
  })

  it.each([
    ['no sub', () => ({}), [403, 'bad_jwt', 'invalid claim: missing sub claim']],
    [
      'a sub of another form',
      () => ({ sub: 'ada' }),
      [400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'],
    ],
    [
      'a user who never was',
      () => ({ sub: '00000000-0b57-4a39-9c39-0d3f1f7c1e0b' }),
      [403, 'user_not_found', 'User from sub claim in JWT does not exist'],
    ],
    [
      'a session of another form',
      (id: string) => ({ sub: id, session_id: 'mine' }),
      [403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID'],
    ],
    [
      'a session that never was',
      (id: string) => ({ sub: id, session_id: '00000000-0b57-4a39-9c39-0d3f1f7c1e0b' }),
      [403, 'session_not_found', 'Session from session_id claim in JWT does not exist'],
    ],
  ] as const)('is not returned for %s', async (_case, claimsOf, expected) => {
    const { id } = await auth.given.user()
    const { keys } = await auth.deps()
    const token = await keys.sign({ aud: 'authenticated', ...claimsOf(id) })

    const { status, body } = await auth.get('/user', { token })

    expect([status, body.error_code, body.msg]).toEqual(expected)
  })

  it('is returned for a token without a session, and for one with the nil session', async () => {
    const { id } = await auth.given.user()
    const { keys } = await auth.deps()
    const nil = '00000000-0000-0000-0000-000000000000'

    for (const session of [{}, { session_id: '' }, { session_id: nil }]) {
      const token = await keys.sign({ sub: id, aud: 'authenticated', ...session })
      expect((await auth.get('/user', { token })).status).toBe(200)
    }
  })

  it.each(['Basic abc', 'Bearer', 'Bearer ', 'Bearer  x', 'Bearer a b', 'x', 'BearerX'])(
    'is not returned for the header %j',
    async (authorization) => {
      const answer = await auth.get('/user', { headers: { authorization } })

      expect(statusAndCode(answer)).toEqual([401, 'no_authorization'])
    },
  )

  it('is returned for the word Bearer in any letter case', async () => {
    const { accessToken } = await auth.given.session()

    const answer = await auth.get('/user', { headers: { authorization: `bEARER ${accessToken}` } })

    expect(answer.status).toBe(200)
  })
})
