import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EnrolledApp,
  type SecondFactors,
  secondFactors,
} from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Attempts are counted before a code is compared, per challenge and per user.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const said = ({ status, body }: Answer) => [status, body.error_code]
const failed = [422, 'mfa_verification_failed']

/** Somebody with an app that was never shown. */
async function begun() {
  const session = await auth.given.session()
  const app = await factors.enrolledApp(session.accessToken)
  const challengeId = await factors.challenge(session.accessToken, app.id)
  const answer = (code: string) => factors.answer(session.accessToken, app.id, challengeId, code)
  return { ...session, app, challengeId, answer }
}

/** A code that the app does not show. */
const wrongCode = (app: EnrolledApp): string => {
  const shown = [-1, 0, 1].map((steps) => factors.codeOf(app, steps))
  return ['000000', '000001', '000002', '000003'].find((code) => !shown.includes(code)) ?? ''
}

describe('guessing', () => {
  it('T08: takes 5 codes for a challenge, however many come at once', async () => {
    const { app, answer } = await begun()

    const guesses = await Promise.all(Array.from({ length: 20 }, () => answer(wrongCode(app))))
    const right = await answer(factors.codeOf(app))

    expect(guesses.map(said)).toEqual(guesses.map(() => failed))
    expect(said(right)).toEqual(failed)
    const [row] = await auth.rows('select attempts from auth.challenges where factor_id = $1', [
      app.id,
    ])
    expect(row).toEqual({ attempts: 5 })
  })

  it('T08: takes 30 codes for a user over all challenges, and one more each two minutes', async () => {
    const { accessToken: token, app } = await begun()
    const guess = async (code: string) =>
      factors.answer(token, app.id, await factors.challenge(token, app.id), code)
    for (let at = 0; at < 30; at++) await guess(wrongCode(app))

    const beyond = await guess(factors.codeOf(app))
    auth.clock.advance(121)
    const later = await guess(factors.codeOf(app))

    expect(said(beyond)).toEqual([429, 'over_request_rate_limit'])
    expect(beyond.headers.get('retry-after')).toBe('120')
    expect(later.status).toBe(200)
  })
})
