import { createHmac } from 'node:crypto'
import type { Answer, GivenSession, TestAuth } from './test-auth.ts'

/** An authenticator app that a user enrolled. */
export interface EnrolledApp {
  id: string
  secret: string
}

/** A session that showed its second factor. */
export interface StrongSession extends GivenSession {
  app: EnrolledApp
  /** The tokens from before. */
  weak: { accessToken: string; refreshToken: string }
}

/** What people with second factors do, through the routes. */
export interface SecondFactors {
  enroll(token: string, body?: object): Promise<Answer>
  enrolledApp(token: string, name?: string): Promise<EnrolledApp>
  /** The id of a new challenge. */
  challenge(token: string, factorId: string, body?: object): Promise<string>
  answer(token: string, factorId: string, challengeId: string, code: string): Promise<Answer>
  /** Shows a factor by what the app shows at this moment. */
  prove(token: string, app: EnrolledApp): Promise<Answer>
  unenroll(token: string, factorId: string): Promise<Answer>
  /** The code that the app shows, so many steps of 30 seconds from now. */
  codeOf(app: Pick<EnrolledApp, 'secret'>, steps?: number): string
  /** A new user who has shown an app for the first time. The next step has begun, with the next code. */
  strongSession(email?: string): Promise<StrongSession>
}

export function secondFactors(auth: TestAuth): SecondFactors {
  const factors: SecondFactors = {
    enroll: (token, body = { factor_type: 'totp' }) => auth.post('/factors', body, { token }),
    enrolledApp: async (token, name = 'app') => {
      const body = { factor_type: 'totp', friendly_name: name }
      const answer = await factors.enroll(token, body)
      if (answer.status !== 200) throw new Error(answer.text)
      return { id: answer.body.id, secret: answer.body.totp.secret }
    },
    challenge: async (token, factorId, body = {}) => {
      const answer = await auth.post(`/factors/${factorId}/challenge`, body, { token })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.id
    },
    answer: (token, factorId, challengeId, code) =>
      auth.post(`/factors/${factorId}/verify`, { challenge_id: challengeId, code }, { token }),
    prove: async (token, app) => {
      const challengeId = await factors.challenge(token, app.id)
      return factors.answer(token, app.id, challengeId, factors.codeOf(app))
    },
    unenroll: (token, factorId) => auth.request('DELETE', `/factors/${factorId}`, { token }),
    codeOf: ({ secret }, steps = 0) => totpOf(secret, auth.clock.now(), steps),
    strongSession: async (email) => {
      const session = await auth.given.session(email)
      const { user, ...weak } = session
      const app = await factors.enrolledApp(weak.accessToken)
      const { body } = await factors.prove(weak.accessToken, app)
      auth.clock.advance(30)
      return {
        ...{ user, app, weak },
        ...{ accessToken: body.access_token, refreshToken: body.refresh_token },
      }
    },
  }
  return factors
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an app of somebody else's making shows. @see RFC 6238 §4.2 */
export function totpOf(secret: string, at: Date, steps = 0): string {
  const bits = [...secret].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000) + steps))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
