import { createHmac } from 'node:crypto'
import type { AccessTokenClaims } from '../../src/credentials/access-tokens/claims.ts'
import { type Answer, type GivenSession, type TestAuth, testPassword } from './test-auth.ts'

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

/** Somebody with an app that was never shown, and a challenge to it. */
export interface BegunSession extends GivenSession {
  app: EnrolledApp
  challengeId: string
  answer(code: string): Promise<Answer>
}

/** What people with second factors do, through the routes. */
export interface SecondFactors {
  /** A new session of the user with this address, who has shown the password alone. */
  signIn(email: string | null): Promise<{ accessToken: string; refreshToken: string }>
  refresh(refreshToken: string): Promise<Answer>
  begun(): Promise<BegunSession>
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
  /** A code that the app does not show. */
  wrongCodeOf(app: Pick<EnrolledApp, 'secret'>): string
  generateCodes(token: string, body?: object): Promise<Answer>
  useCode(token: string, code: string): Promise<Answer>
  /** A new user as in `strongSession`, with recovery codes. */
  recoverableSession(email?: string): Promise<RecoverableSession>
  /** A new user who has shown an app for the first time. The next step has begun, with the next code. */
  strongSession(email?: string): Promise<StrongSession>
}

/** A strong session whose user has recovery codes. */
export interface RecoverableSession extends StrongSession {
  codes: string[]
  /** Of the factor that the codes are. */
  setId: string
}

export function secondFactors(auth: TestAuth): SecondFactors {
  const factors: SecondFactors = {
    signIn: async (email) => {
      const credentials = { email: email ?? '', password: testPassword }
      return (await auth.auth.api.signInWithPassword(credentials)).session
    },
    refresh: (refreshToken) =>
      auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken }),
    begun: async () => {
      const session = await auth.given.session()
      const app = await factors.enrolledApp(session.accessToken)
      const challengeId = await factors.challenge(session.accessToken, app.id)
      const answer = (code: string) =>
        factors.answer(session.accessToken, app.id, challengeId, code)
      return { ...session, app, challengeId, answer }
    },
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
    wrongCodeOf: (app) => {
      const shown = [-1, 0, 1].map((steps) => factors.codeOf(app, steps))
      return ['000000', '000001', '000002', '000003'].find((code) => !shown.includes(code)) ?? ''
    },
    generateCodes: (token, body) => auth.post('/factors/recovery-codes', body, { token }),
    useCode: (token, code) => auth.post('/factors/recovery-codes/verify', { code }, { token }),
    recoverableSession: async (email) => {
      const session = await factors.strongSession(email)
      const { status, text, body } = await factors.generateCodes(session.accessToken)
      if (status !== 200) throw new Error(text)
      return { ...session, codes: body.codes, setId: body.id }
    },
    strongSession: async (email) => {
      const session = await auth.given.session(email)
      const { user, ...weak } = session
      const app = await factors.enrolledApp(weak.accessToken)
      const { body } = await factors.prove(weak.accessToken, app)
      auth.clock.advance(30)
      return {
        user,
        app,
        weak,
        accessToken: body.access_token,
        refreshToken: body.refresh_token,
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

/** Status and code of an answer. */
export const said = ({ status, body }: Answer): unknown[] => [status, body.error_code]

/** What an access token says, unverified. */
export const claimsIn = (token: string): AccessTokenClaims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
