import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

/** The access tokens of a user who signed in several times. */
async function givenSessions(count: number) {
  const user = await auth.given.user()
  const tokens: string[] = []
  for (let index = 0; index < count; index += 1) {
    const { session } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: testPassword,
    })
    tokens.push(session.accessToken)
  }
  return { user, tokens }
}

const signOut = (token: string | undefined, query = '') =>
  auth.post(`/logout${query}`, undefined, { token })

/** Returns the tokens that are still accepted by `/user`. */
const alive = async (tokens: string[]) => {
  const answers = await Promise.all(tokens.map((token) => auth.get('/user', { token })))
  return answers.map(({ status }) => status === 200)
}

describe('a sign-out', () => {
  it.each([
    ['', [false, false, false]],
    ['?scope=', [false, false, false]],
    ['?scope=global', [false, false, false]],
    ['?scope=local', [false, true, true]],
    ['?scope=others', [true, false, false]],
  ])('with %j ends the sessions of its scope', async (query, expected) => {
    const { tokens } = await givenSessions(3)
    const bystander = await auth.given.session()

    const answer = await signOut(tokens[0], query)

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await alive(tokens)).toEqual(expected)
    expect(await alive([bystander.accessToken])).toEqual([true])
  })

  it('deletes the rows', async () => {
    const { user, tokens } = await givenSessions(2)

    await signOut(tokens[0])

    expect(await auth.rows('select id from auth.sessions where user_id = $1', [user.id])).toEqual(
      [],
    )
  })

  it('by a token without a session ends all, whatever the scope', async () => {
    const { user, tokens } = await givenSessions(2)
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated' })

    const answer = await signOut(token, '?scope=local')

    expect(answer.status).toBe(204)
    expect(await alive(tokens)).toEqual([false, false])
  })
})

describe('S37: a sign-out that ends nothing', () => {
  /** The entries of the audit log about sign-outs of a user. */
  const entries = async (userId: string) => {
    const found = await auth.auth.admin.listAudit({ actorId: userId })
    return found.entries.filter(({ action }) => action === 'logout')
  }

  it('adds no entry to the audit log, however often it is repeated', async () => {
    const { user, tokens } = await givenSessions(2)
    expect((await signOut(tokens[0], '?scope=others')).status).toBe(204)

    for (let time = 0; time < 5; time += 1) {
      expect((await signOut(tokens[0], '?scope=others')).status).toBe(204)
    }

    expect(await entries(user.id)).toHaveLength(1)
  })

  it('adds none where the token has no session', async () => {
    const { user } = await givenSessions(1)
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated' })

    for (let time = 0; time < 3; time += 1) expect((await signOut(token)).status).toBe(204)

    expect(await entries(user.id)).toHaveLength(1)
  })
})

describe('a sign-out is rejected, and no session ends,', () => {
  it.each(['?scope=all', '?scope=GLOBAL', '?scope=local&scope=global'])('for %s', async (query) => {
    const { tokens } = await givenSessions(1)

    const answer = await signOut(tokens[0], query)

    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toMatch(/^scope: /)
    expect(await alive(tokens)).toEqual([true])
  })

  it('without a token, or with an invalid one', async () => {
    const answers = [await signOut(undefined), await signOut('no.good.token')]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [401, 'no_authorization'],
      [403, 'bad_jwt'],
    ])
  })

  it('by an ended session', async () => {
    const { tokens } = await givenSessions(2)
    await signOut(tokens[0], '?scope=local')

    const answer = await signOut(tokens[0])

    expect([answer.status, answer.body.error_code]).toEqual([403, 'session_not_found'])
    expect(await alive(tokens)).toEqual([false, true])
  })

  it('by a banned user', async () => {
    const { user, tokens } = await givenSessions(1)
    await auth.auth.admin.updateUser(user.id, { banDuration: '1h' })

    const answer = await signOut(tokens[0])

    expect([answer.status, answer.body.error_code]).toEqual([403, 'user_banned'])
    expect(
      await auth.rows('select id from auth.sessions where user_id = $1', [user.id]),
    ).toHaveLength(1)
  })

  it('by a deleted user', async () => {
    const { user, tokens } = await givenSessions(1)
    await auth.rows('delete from auth.users where id = $1', [user.id])

    const answer = await signOut(tokens[0])

    expect([answer.status, answer.body.error_code]).toEqual([403, 'user_not_found'])
  })

  it('by a token for another audience', async () => {
    const { user, tokens } = await givenSessions(1)
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'elsewhere' })

    const answer = await signOut(token)

    expect([answer.status, answer.body.error_code]).toEqual([403, 'bad_jwt'])
    expect(await alive(tokens)).toEqual([true])
  })

  it('by a token about one user and the session of another', async () => {
    const [one, other] = [await givenSessions(1), await givenSessions(1)]
    const { keys } = await auth.deps()
    const { session_id } = await auth.auth.verifyToken(other.tokens[0] ?? '')
    const token = await keys.sign({ sub: one.user.id, session_id })

    const answer = await signOut(token)

    expect([answer.status, answer.body.error_code]).toEqual([403, 'session_not_found'])
    expect(await alive([...one.tokens, ...other.tokens])).toEqual([true, true])
  })
})

it.each([
  ['a NUL', ['a\0b']],
  ['half a surrogate pair', '\ud800'],
  ['an object that is no text', { toString: 1, valueOf: 1 }],
  ['lists in a list', [['a'], ['b', 'c']]],
])('rejects a token of ours for an audience that no user can have: %s', async (_, aud) => {
  const { user } = await auth.given.session()
  const { keys } = await auth.deps()
  const token = await keys.sign({ sub: user.id, aud, role: 'authenticated' })

  const answer = await signOut(token)

  expect([answer.status, answer.body.error_code]).toEqual([403, 'bad_jwt'])
})
