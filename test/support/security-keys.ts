import {
  type Authenticator,
  createAuthenticator,
  type Deviations,
  type KeyAlgorithm,
} from './authenticator.ts'
import { secondFactors } from './second-factors.ts'
import type { Answer, GivenSession, TestAuth } from './test-auth.ts'

/** The configuration that security keys require. */
export const withSecurityKeys = {
  siteUrl: 'https://app.example.test',
  mfa: { webAuthn: { enrollEnabled: true, verifyEnabled: true } },
}

/** An old security key: no user verification, no stored user handle. */
export const plainKey: Deviations = {
  userVerified: false,
  userHandle: null,
  backupEligible: false,
  transports: ['usb', 'nfc'],
}

/** A user who has verified a security key. */
export interface SecurityKeyUser extends GivenSession {
  factorId: string
  authenticator: Authenticator
  /** The tokens from before the verification. */
  weak: { accessToken: string; refreshToken: string }
}

/** The operations of users with security keys, through the routes. */
export interface SecurityKeys {
  /** Starts an enrollment. */
  enroll(token: string, name?: string): Promise<string>
  ask(token: string, factorId: string): Promise<Answer>
  /** Responds to the challenge of `ask`. */
  answer(token: string, factorId: string, requested: Answer, credential: object): Promise<Answer>
  /** Registers an enrolled key. */
  register(
    token: string,
    factorId: string,
    authenticator: Authenticator,
    deviations?: Deviations,
  ): Promise<Answer>
  /** Verifies a key. */
  prove(
    token: string,
    factorId: string,
    authenticator: Authenticator,
    deviations?: Deviations,
  ): Promise<Answer>
  /** Creates a user who has verified a key. */
  holder(algorithm?: KeyAlgorithm, deviations?: Deviations): Promise<SecurityKeyUser>
}

export function securityKeysOf(auth: TestAuth): SecurityKeys {
  const factors = secondFactors(auth)
  const keys: SecurityKeys = {
    enroll: async (token, name = 'key') => {
      const answer = await factors.enroll(token, { factor_type: 'webauthn', friendly_name: name })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.body.id
    },
    ask: (token, factorId) => auth.post(`/factors/${factorId}/challenge`, {}, { token }),
    answer: (token, factorId, requested, credential) =>
      auth.post(
        `/factors/${factorId}/verify`,
        {
          challenge_id: requested.body.id,
          webauthn: { type: requested.body.webauthn.type, credential_response: credential },
        },
        { token },
      ),
    register: async (token, factorId, authenticator, deviations = {}) => {
      const requested = await keys.ask(token, factorId)
      const options = requested.body.webauthn.credential_options.publicKey
      const credential = authenticator.create(options, { ...plainKey, ...deviations })
      return keys.answer(token, factorId, requested, credential)
    },
    prove: async (token, factorId, authenticator, deviations = {}) => {
      const requested = await keys.ask(token, factorId)
      const options = requested.body.webauthn.credential_options.publicKey
      const credential = authenticator.get(options, { ...plainKey, ...deviations })
      return keys.answer(token, factorId, requested, credential)
    },
    holder: async (algorithm, deviations) => {
      const { user, ...weak } = await auth.given.session()
      const factorId = await keys.enroll(weak.accessToken)
      const authenticator = createAuthenticator(algorithm)
      const { body, text } = await keys.register(
        weak.accessToken,
        factorId,
        authenticator,
        deviations,
      )
      if (!body.access_token) throw new Error(text)
      const tokens = { accessToken: body.access_token, refreshToken: body.refresh_token }
      return { user, factorId, authenticator, weak, ...tokens }
    },
  }
  return keys
}
