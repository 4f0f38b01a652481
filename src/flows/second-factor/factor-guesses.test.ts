import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondFactors, said, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Attempts are counted before a code is compared, per challenge and per user.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const failed = [422, 'mfa_verification_failed']

describe('guessing', () => {
  it('T08: takes 5 codes for a challenge, however many come at once', async () => {
    const { app, answer } = await factors.begun()

    const guesses = await Promise.all(
      Array.from({ length: 20 }, () => answer(factors.wrongCodeOf(app))),
    )
    const right = await answer(factors.codeOf(app))

    expect(guesses.map(said)).toEqual(guesses.map(() => failed))
    expect(said(right)).toEqual(failed)
    const [row] = await auth.rows('select attempts from auth.challenges where factor_id = $1', [
      app.id,
    ])
    expect(row).toEqual({ attempts: 5 })
  })

  it('T08: takes 30 codes for a user over all challenges, and one more each two minutes', async () => {
    const { accessToken: token, app } = await factors.begun()
    const guess = async (code: string) =>
      factors.answer(token, app.id, await factors.challenge(token, app.id), code)
    for (let at = 0; at < 30; at++) await guess(factors.wrongCodeOf(app))

    const beyond = await guess(factors.codeOf(app))
    auth.clock.advance(121)
    const later = await guess(factors.codeOf(app))

    expect(said(beyond)).toEqual([429, 'over_request_rate_limit'])
    expect(beyond.headers.get('retry-after')).toBe('120')
    expect(later.status).toBe(200)
  })
})
