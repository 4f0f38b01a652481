import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHost } from './support/host.ts'
import { type SecondFactors, secondFactors } from './support/second-factors.ts'
import { atOnce, numbers } from './support/server-pair.ts'
import { type Answer, startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// Of many concurrent requests with one code on two instances, one succeeds.

let auth: TestAuth
let beside: Pick<TestAuth, 'auth' | 'request' | 'close'>
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  beside = await auth.beside()
  factors = secondFactors(auth)
})
afterAll(() => Promise.all([beside?.close(), auth?.close()]))

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted()
const once = (count: number) => [200, ...Array.from({ length: count - 1 }, () => 422)]
const at = (number: number) => (number % 2 === 0 ? auth : beside)
const verify = (number: number, token: string, id: string, challengeId: string, code: string) =>
  at(number).request('POST', `/factors/${id}/verify`, {
    token,
    body: { challenge_id: challengeId, code },
  })
const signIn = async (email: string | null) => {
  const { session } = await auth.auth.api.signInWithPassword({
    email: email ?? '',
    password: testPassword,
  })
  return session.accessToken
}

describe('one recovery code', () => {
  const prove = (number: number, token: string, code: string) =>
    at(number).request('POST', '/factors/recovery-codes/verify', { token, body: { code } })

  it('raises a session once, of 50 concurrent requests', async () => {
    const { user, codes, setId } = await factors.recoverableSession()
    const token = await signIn(user.email)

    const answers = await atOnce(numbers(50), (n) => prove(n, token, codes[0] ?? ''))

    // Of 50 guesses of one client 20 are compared.
    const refusals = [...numbers(19).map(() => 422), ...numbers(30).map(() => 429)]
    expect(statuses(answers)).toEqual([200, ...refusals])
    const spent = await auth.rows(
      'select from auth.recovery_codes where factor_id = $1 and spent_at is not null',
      [setId],
    )
    expect(spent).toHaveLength(1)
    const { entries } = await auth.auth.admin.listAudit({ query: 'action:verification_attempted' })
    const proofs = entries.filter(({ traits }) => traits['factor_id'] === setId)
    expect(proofs).toHaveLength(1)
  })

  it('raises one session, of 20 that use it at once', async () => {
    const { user, codes } = await factors.recoverableSession()
    const tokens = await Promise.all(numbers(20).map(() => signIn(user.email)))

    const answers = await atOnce(numbers(20), (n) => prove(n, tokens[n] ?? '', codes[0] ?? ''))

    const [first, ...others] = statuses(answers)
    expect(first).toBe(200)
    // A request that lost the race finds that its session has ended.
    expect(others.filter((status) => status !== 422 && status !== 403)).toEqual([])
  })

  it('is either consumed or replaced, when both happen at once', async () => {
    const { user, codes, accessToken, setId } = await factors.recoverableSession()
    const token = await signIn(user.email)

    const [used, replaced] = await Promise.all([
      prove(0, token, codes[0] ?? ''),
      at(1).request('POST', '/factors/recovery-codes/regenerate', { token: accessToken }),
    ])

    expect([200, 422]).toContain(used?.status)
    expect(replaced?.status).toBe(200)
    const rows = await auth.rows(
      'select from auth.recovery_codes where factor_id = $1 and spent_at is null',
      [setId],
    )
    expect(rows).toHaveLength(10)
  })

  it('is generated once, of 10 sets that are requested at once', async () => {
    const { accessToken: token } = await factors.aal2Session()

    const answers = await atOnce(numbers(10), (n) =>
      at(n).request('POST', '/factors/recovery-codes', { token }),
    )

    expect(statuses(answers)).toEqual(once(10))
  })
})

describe('one code of an app', () => {
  it('raises a session once, of 50 requests for one challenge', async () => {
    const { user, accessToken: token } = await auth.given.session()
    const app = await factors.enrolledApp(token)
    const challenge = await factors.challenge(token, app.id)
    const code = factors.codeOf(app)

    const answers = await atOnce(numbers(50), (n) => verify(n, token, app.id, challenge, code))

    // Guesses beyond 20 are rejected unless the correct one resets the count before them.
    const [accepted, ...others] = statuses(answers)
    expect(accepted).toBe(200)
    expect(others.every((status) => status === 422 || status === 429)).toBe(true)
    const [session] = await auth.rows(
      'select aal, refresh_token_counter from auth.sessions where user_id = $1',
      [user.id],
    )
    expect(session).toEqual({ aal: 'aal2', refresh_token_counter: 2 })
    const { entries } = await auth.auth.admin.listAudit({ query: 'action:verification_attempted' })
    expect(entries.filter(({ actorId }) => actorId === user.id)).toHaveLength(1)
  })

  it('is accepted once, of 18 challenges in two aal2 sessions', async () => {
    const { user, accessToken, app } = await factors.aal2Session()
    const { body: second } = await factors.prove(await signIn(user.email), app)
    auth.clock.advance(30)
    const tokens = [accessToken, second.access_token]
    const challenges = await atOnce(numbers(18), async (n) => {
      const token = tokens[n % 2] ?? ''
      return { token, id: await factors.challenge(token, app.id) }
    })
    const code = factors.codeOf(app)

    const answers = await atOnce(challenges, ({ token, id }) =>
      verify(
        challenges.findIndex((one) => one.id === id),
        token,
        app.id,
        id,
        code,
      ),
    )

    expect(statuses(answers)).toEqual(once(18))
  })
})

it('two sessions that verify two factors at once end as they would in sequence', async () => {
  for (const _round of numbers(10)) {
    const { user, accessToken: token } = await auth.given.session()
    const apps = [await factors.enrolledApp(token, 'a'), await factors.enrolledApp(token, 'b')]
    const tokens = [token, await signIn(user.email)]

    const answers = await atOnce(numbers(2), async (n) => {
      const [own = '', app] = [tokens[n], apps[n]]
      const challenge = await factors.challenge(own, app?.id ?? '')
      return verify(n, own, app?.id ?? '', challenge, factors.codeOf(app ?? { secret: '' }))
    }).catch((error: Error) => error.message)

    // The first ends the other session, or removes the factor that the other was about to verify.
    const succeeded = Array.isArray(answers) ? answers.filter((one) => one.status === 200) : []
    expect(succeeded.length, JSON.stringify(answers)).toBeLessThanOrEqual(1)
    const sessions = await auth.auth.admin.listSessions(user.id)
    expect(sessions.map(({ aal }) => aal)).toEqual(['aal2'])
  }
})

it('a factor that is enrolled while competing sign-ups are removed is removed with them', async () => {
  for (const round of numbers(10)) {
    const email = `stranger${round}@example.test`
    const { accessToken: token, user } = await auth.given.session(email)
    // Another service may have left such a session: of a user without a confirmed address.
    await auth.rows(
      `update auth.users set email_confirmed_at = null, registered_by = 'signup' where id = $1`,
      [user.id],
    )
    const { hashedToken } = await auth.auth.admin.generateLink({ type: 'magiclink', email })

    const body = { factor_type: 'totp' }
    const [proved] = await Promise.all([
      auth.post('/verify', { type: 'magiclink', token_hash: hashedToken }),
      ...numbers(4).map((n) =>
        at(n).request('POST', '/factors', { token, body: { ...body, friendly_name: `${n}` } }),
      ),
    ])

    expect(proved.status).toBe(200)
    expect(await auth.auth.admin.listFactors(proved.body.user.id)).toEqual([])
  }
})

it('a factor that is removed during its verification raises no session', async () => {
  const { user, accessToken } = await auth.given.session()
  const app = await factors.enrolledApp(accessToken)
  const challengeId = await factors.challenge(accessToken, app.id)
  const proof = { accessToken, factorId: app.id, challengeId, code: factors.codeOf(app) }
  const host = await openHost(auth.databaseUrl)
  let removing: Promise<void> | undefined

  await host.transaction(async (em) => {
    await auth.auth.api.verifyFactor(proof, { em })
    removing = auth.auth.admin.deleteFactor(user.id, app.id)
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
  await removing
  await host.close()

  expect(await auth.rows('select aal from auth.sessions where user_id = $1', [user.id])).toEqual([
    { aal: 'aal1' },
  ])
})
