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

const failed = [422, 'mfa_verification_failed']

describe('POST /factors/{factor_id}/challenge', () => {
  it('returns a challenge of 5 minutes, and stores its time', async () => {
    const { accessToken: token } = await auth.given.session()
    const app = await factors.enrolledApp(token)

    const { body } = await auth.post(`/factors/${app.id}/challenge`, undefined, { token })

    const seconds = auth.clock.now().getTime() / 1000
    expect(body).toEqual({ id: expect.any(String), type: 'totp', expires_at: seconds + 300 })
    const { factors: shown } = (await auth.get('/user', { token })).body
    expect(shown[0].last_challenged_at).toBe(auth.clock.now().toISOString())
  })

  it('is rejected for an unknown factor', async () => {
    const { accessToken: token } = await auth.given.session()
    const { app } = await factors.begun()
    const ask = (id: string) => auth.post(`/factors/${id}/challenge`, {}, { token })

    expect(statusAndCode(await ask('nonsense'))).toEqual([404, 'validation_failed'])
    expect(statusAndCode(await ask('7f3a3f0c-0000-4000-8000-000000000000'))).toEqual([
      404,
      'mfa_factor_not_found',
    ])
    expect(statusAndCode(await ask(app.id))).toEqual([404, 'mfa_factor_not_found'])
  })
})

describe('POST /factors/{factor_id}/verify', () => {
  it('raises the session, and verifies the factor', async () => {
    const { user, accessToken, app, answer } = await factors.begun()

    const { status, body } = await answer(factors.codeOf(app))

    const [before, after] = [claimsIn(accessToken), claimsIn(body.access_token)]
    const timestamp = auth.clock.now().getTime() / 1000
    expect([status, before.aal, after.aal]).toEqual([200, 'aal1', 'aal2'])
    expect(after.session_id).toBe(before.session_id)
    expect(after.amr).toEqual([{ method: 'totp', timestamp }, ...(before.amr ?? [])])
    expect(body.user).toMatchObject({ id: user.id, factors: [{ id: app.id, status: 'verified' }] })
    const shown = await auth.get('/user', { token: body.access_token })
    expect(shown.body).toEqual(body.user)
    expect(claimsIn((await factors.refresh(body.refresh_token)).body.access_token).aal).toBe('aal2')
  })

  it('accepts a code with spaces around it, of the previous and of the next step', async () => {
    for (const steps of [-1, 0, 1]) {
      const { app, answer } = await factors.begun()

      expect((await answer(` ${factors.codeOf(app, steps)} `)).status).toBe(200)
    }
  })

  it('rejects a wrong code, and accepts the right one after it', async () => {
    const { app, answer } = await factors.begun()

    expect([
      statusAndCode(await answer(factors.wrongCodeOf(app))),
      statusAndCode(await answer('000')),
    ]).toEqual([failed, failed])
    expect((await answer(factors.codeOf(app))).status).toBe(200)
  })

  it('accepts a code once, also for another challenge and in another session', async () => {
    const { user, app, answer } = await factors.begun()
    const code = factors.codeOf(app)
    const { body } = await answer(code)
    const other = await factors.signIn(user.email)
    const tryIn = async (token: string) =>
      factors.answer(token, app.id, await factors.challenge(token, app.id), code)

    const again = [await tryIn(body.access_token), await tryIn(other.accessToken)]
    auth.clock.advance(30)
    const late = await tryIn(other.accessToken)
    const next = await factors.prove(other.accessToken, app)

    expect([...again, late].map(statusAndCode)).toEqual([failed, failed, failed])
    expect(next.status).toBe(200)
  })

  it('responds to a consumed challenge as to a wrong code', async () => {
    const {
      accessToken: token,
      app,
      challengeId,
    } = await factors.aal2Session().then(async (strong) => ({
      ...strong,
      challengeId: await factors.challenge(strong.accessToken, strong.app.id),
    }))
    const first = await factors.answer(token, app.id, challengeId, factors.codeOf(app))
    auth.clock.advance(30)

    const again = await factors.answer(token, app.id, challengeId, factors.codeOf(app))

    expect([first.status, statusAndCode(again)]).toEqual([200, failed])
  })

  it('deletes other unverified factors of its type', async () => {
    const { accessToken: token } = await auth.given.session()
    await factors.enrolledApp(token, 'first')
    const app = await factors.enrolledApp(token, 'second')

    const { body } = await factors.prove(token, app)

    expect(body.user.factors).toMatchObject([{ id: app.id }])
    const shown = await auth.get('/user', { token: body.access_token })
    expect(shown.body.factors).toEqual(body.user.factors)
  })

  it.each([
    ['no code', (id: string) => ({ challenge_id: id }), 400, 'validation_failed'],
    ['an empty code', (id: string) => ({ challenge_id: id, code: '' }), 400, 'validation_failed'],
    ['no challenge', () => ({ code: '123456' }), 400, 'validation_failed'],
    ['a challenge that is none', () => ({ challenge_id: 'x', code: '1' }), 400, 'bad_json'],
    [
      'an unknown challenge',
      () => ({ challenge_id: '7f3a3f0c-0000-4000-8000-000000000000', code: '123456' }),
      ...([422, 'mfa_factor_not_found'] as const),
    ],
  ])('rejects %s', async (_what, bodyOf, status, code) => {
    const { accessToken: token, app, challengeId } = await factors.begun()

    const answer = await auth.post(`/factors/${app.id}/verify`, bodyOf(challengeId), { token })

    expect(statusAndCode(answer)).toEqual([status, code])
  })

  it('rejects a challenge of another factor', async () => {
    const { accessToken: token, challengeId } = await factors.begun()
    const other = await factors.enrolledApp(token, 'other')

    const answer = await factors.answer(token, other.id, challengeId, factors.codeOf(other))

    expect(statusAndCode(answer)).toEqual([422, 'mfa_factor_not_found'])
  })

  it('rejects an expired challenge', async () => {
    const { app, answer } = await factors.begun()
    auth.clock.advance(300)

    expect(statusAndCode(await answer(factors.codeOf(app)))).toEqual([422, 'mfa_challenge_expired'])
  })

  it('rejects a request of another address, without counting an attempt', async () => {
    const { accessToken: token, app, challengeId, answer } = await factors.begun()
    const body = { challenge_id: challengeId, code: factors.codeOf(app) }

    for (let at = 0; at < 6; at++) {
      const path = `/factors/${app.id}/verify`
      const elsewhere = await auth.post(path, body, { token, ip: '198.51.100.9' })
      expect(statusAndCode(elsewhere)).toEqual([422, 'mfa_ip_address_mismatch'])
    }
    expect((await answer(factors.codeOf(app))).status).toBe(200)
  })

  it('does nothing in a session that ends concurrently', async () => {
    const { accessToken: token, app, challengeId } = await factors.begun()
    const body = { challenge_id: challengeId, code: factors.codeOf(app) }
    const { database } = await auth.deps()
    const { query } = database.sql
    database.sql.query = async (statement, values) => {
      if (statement.name === 'count_challenge_attempt') {
        await auth.auth.api.signOut({ accessToken: token })
      }
      return query(statement, values)
    }

    const answer = await auth.post(`/factors/${app.id}/verify`, body, { token })

    database.sql.query = query
    expect(answer.body.error_code).toBe('session_not_found')
    const [row] = await auth.rows('select status, last_used_step from auth.factors where id = $1', [
      app.id,
    ])
    expect(row).toEqual({ status: 'unverified', last_used_step: null })
  })

  it('is recorded', async () => {
    const { user, app } = await factors.aal2Session()

    const { entries } = await auth.auth.admin.listAudit({ query: 'action:verification_attempted' })

    expect(entries.filter(({ actorId }) => actorId === user.id)).toMatchObject([
      { ip: '203.0.113.7', traits: { factor_id: app.id, factor_type: 'totp' } },
    ])
  })
})
