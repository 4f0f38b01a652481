import { createHmac } from 'node:crypto'
import type { AccessTokenClaims } from '../../src/credentials/access-tokens/claims.ts'
import { type Answer, type GivenSession, type TestAuth, testPassword } from './test-auth.ts'

/** An authenticator app that a user enrolled. */
export interface EnrolledApp {
  id: string
  secret: string
}

/** A session that verified its second factor. */
export interface Aal2Session extends GivenSession {
  app: EnrolledApp
  /** The tokens from before the verification. */
  weak: { accessToken: string; refreshToken: string }
}

/** A user with an unverified app, and a challenge to it. */
export interface BegunSession extends GivenSession {
  app: EnrolledApp
  challengeId: string
  answer(code: string): Promise<Answer>
}

/** The operations of users with second factors, through the routes. */
export interface SecondFactors {
  /** Creates a session of the user with this address, by password only. */
  signIn(email: string | null): Promise<{ accessToken: string; refreshToken: string }>
  refresh(refreshToken: string): Promise<Answer>
  begun(): Promise<BegunSession>
  enroll(token: string, body?: object): Promise<Answer>
  enrolledApp(token: string, name?: string): Promise<EnrolledApp>
  /** Creates a challenge and returns its id. */
  challenge(token: string, factorId: string, body?: object): Promise<string>
  answer(token: string, factorId: string, challengeId: string, code: string): Promise<Answer>
  /** Verifies a factor with the app's current code. */
  prove(token: string, app: EnrolledApp): Promise<Answer>
  unenroll(token: string, factorId: string): Promise<Answer>
  /** Returns the code of the app, a number of steps of 30 seconds from now. */
  codeOf(app: Pick<EnrolledApp, 'secret'>, steps?: number): string
  /** Returns a code that the app does not show. */
  wrongCodeOf(app: Pick<EnrolledApp, 'secret'>): string
  generateCodes(token: string, body?: object): Promise<Answer>
  useCode(token: string, code: string): Promise<Answer>
  /** Creates a user as `aal2Session` does, with recovery codes. */
  recoverableSession(email?: string): Promise<RecoverableSession>
  /** Creates a user who has verified an app. The next step has begun, with the next code. */
  aal2Session(email?: string): Promise<Aal2Session>
}

/** A session with aal2 whose user has recovery codes. */
export interface RecoverableSession extends Aal2Session {
  codes: string[]
  /** The id of the factor that the codes are. */
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
      const session = await factors.aal2Session(email)
      const { status, text, body } = await factors.generateCodes(session.accessToken)
      if (status !== 200) throw new Error(text)
      return { ...session, codes: body.codes, setId: body.id }
    },
    aal2Session: async (email) => {
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

/** Returns the code of an app, by an independent implementation. @see RFC 6238 §4.2 */
export function totpOf(secret: string, at: Date, steps = 0): string {
  const bits = [...secret].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000) + steps))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Returns status and code of a response. */
export const statusAndCode = ({ status, body }: Answer): unknown[] => [status, body.error_code]

/** Returns the claims of an access token, unverified. */
export const claimsIn = (token: string): AccessTokenClaims =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
