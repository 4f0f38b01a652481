import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import {
  type SecurityKeys,
  securityKeysOf,
  withSecurityKeys,
} from '../../../test/support/security-keys.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Attempts are counted before a code is compared, per challenge and per user.

let auth: TestAuth
let factors: SecondFactors
let keys: SecurityKeys

beforeAll(async () => {
  auth = await startTestAuth(withSecurityKeys)
  factors = secondFactors(auth)
  keys = securityKeysOf(auth)
})
afterAll(() => auth.close())

const failed = [422, 'mfa_verification_failed']

/** Tries a code from an address, for a challenge of its own. */
const from = (token: string, factorId: string) => async (ip: string, code: string) => {
  const path = `/factors/${factorId}`
  const { body } = await auth.post(`${path}/challenge`, {}, { token, ip })
  return auth.post(`${path}/verify`, { challenge_id: body.id, code }, { token, ip })
}

describe('S131: a party with the password that creates challenges without end', () => {
  it.each([
    ['a client of the same network', () => '203.0.113.66'],
    ['one network', (at: number) => `2001:db8:66:${at.toString(16)}::1`],
    ['twenty networks', (at: number) => `2001:db8:${(at % 20).toString(16)}:${at}::1`],
  ])('leaves the challenge of the owner, from %s', async (_, addressOf) => {
    const { accessToken: token, app } = await factors.begun()
    const path = `/factors/${app.id}`
    const owner = { token, ip: '203.0.113.10' }
    const { body } = await auth.post(`${path}/challenge`, {}, owner)
    const answers = []
    for (let at = 1; at <= 140; at += 1) {
      auth.clock.advance(1)
      answers.push(await auth.post(`${path}/challenge`, {}, { token, ip: addressOf(at) }))
    }
    const stored = await auth.rows('select id from auth.challenges where factor_id = $1', [app.id])
    const proof = { challenge_id: body.id, code: factors.codeOf(app) }
    const verified = await auth.post(`${path}/verify`, proof, owner)

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(stored).toHaveLength(100)
    expect(verified.status).toBe(200)
  })
})

describe('guessing', () => {
  it('T08: accepts 5 codes for a challenge, also concurrently', async () => {
    const { app, answer } = await factors.begun()

    const guesses = await Promise.all(
      Array.from({ length: 20 }, () => answer(factors.wrongCodeOf(app))),
    )
    const right = await answer(factors.codeOf(app))

    expect(guesses.map(statusAndCode)).toEqual(guesses.map(() => failed))
    expect(statusAndCode(right)).toEqual(failed)
    const [row] = await auth.rows('select attempts from auth.challenges where factor_id = $1', [
      app.id,
    ])
    expect(row).toEqual({ attempts: 5 })
  })

  it('T08: accepts 30 codes for a user over all challenges, and one more every two minutes', async () => {
    const { accessToken: token, app } = await factors.begun()
    const guess = from(token, app.id)
    for (let at = 0; at < 30; at++) await guess(`198.51.${at % 2}.9`, factors.wrongCodeOf(app))

    const beyond = await guess('203.0.113.10', factors.codeOf(app))
    auth.clock.advance(121)
    const later = await guess('203.0.113.10', factors.codeOf(app))

    expect(statusAndCode(beyond)).toEqual([429, 'over_request_rate_limit'])
    expect(beyond.headers.get('retry-after')).toBe('120')
    expect(later.status).toBe(200)
  })

  it('leaves attempts to the user while one client with the password guesses', async () => {
    const { accessToken: token, app, user } = await factors.begun()
    const guess = from(token, app.id)
    const guesses = []
    for (let at = 0; at < 31; at++) {
      guesses.push(await guess('198.51.100.66', factors.wrongCodeOf(app)))
    }

    const right = await guess('203.0.113.10', factors.codeOf(app))

    expect(guesses.map(statusAndCode).filter(([status]) => status === 422)).toHaveLength(20)
    expect(guesses.at(-1)?.headers.get('retry-after')).toBe('180')
    expect([right.status, right.body.user.id]).toEqual([200, user.id])
  })

  it('does not count signatures: used-up code attempts do not lock out a security key', async () => {
    const { accessToken, user, factorId, authenticator } = await keys.holder()
    const { body: enrolled } = await factors.enroll(accessToken, {
      factor_type: 'totp',
      friendly_name: 'app',
    })
    const app = { id: enrolled.id, secret: enrolled.totp.secret }
    for (let at = 0; at < 31; at++) {
      const challengeId = await factors.challenge(accessToken, app.id)
      await factors.answer(accessToken, app.id, challengeId, factors.wrongCodeOf(app))
    }
    const { accessToken: weak } = await factors.signIn(user.email)

    const shown = await keys.prove(weak, factorId, authenticator)

    expect(statusAndCode(await factors.prove(accessToken, app))).toEqual([
      429,
      'over_request_rate_limit',
    ])
    expect(shown.status).toBe(200)
  })
})
