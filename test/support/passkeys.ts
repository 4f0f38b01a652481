import {
  type Authenticator,
  createAuthenticator,
  type Deviations,
  type KeyAlgorithm,
} from './authenticator.ts'
import type { Answer, GivenSession, RequestOptions, TestAuth } from './test-auth.ts'

/** A user with a passkey. */
export interface PasskeyUser extends GivenSession {
  authenticator: Authenticator
  /** The id of the passkey. */
  id: string
}

/** The operations of users with passkeys, through the routes. */
export interface Passkeys {
  /** Starts a registration. */
  begin(token: string): Promise<Answer>
  /** Registers a new passkey from start to end. */
  register(token: string, authenticator?: Authenticator, deviations?: Deviations): Promise<Answer>
  /** Completes the registration of `begin`. */
  finish(token: string, begun: Answer, credential: object): Promise<Answer>
  /** Starts a sign-in. */
  ask(): Promise<Answer>
  /** Completes the sign-in of `ask`. */
  answer(requested: Answer, credential: object): Promise<Answer>
  /** Signs in from start to end. */
  signIn(authenticator: Authenticator, deviations?: Deviations): Promise<Answer>
  /** Starts a sign-up. */
  beginSignUp(body?: object, options?: RequestOptions): Promise<Answer>
  /** Completes the sign-up of `beginSignUp`. */
  finishSignUp(
    begun: Answer,
    credential: object,
    more?: object,
    options?: RequestOptions,
  ): Promise<Answer>
  /** Signs up from start to end. */
  signUp(authenticator: Authenticator, more?: object, options?: RequestOptions): Promise<Answer>
  holder(algorithm?: KeyAlgorithm): Promise<PasskeyUser>
  /** Registers a passkey in this session. */
  userOf(session: GivenSession, algorithm?: KeyAlgorithm): Promise<PasskeyUser>
}

export function passkeysOf(auth: TestAuth): Passkeys {
  const passkeys: Passkeys = {
    begin: (token) => auth.post('/passkeys/registration/options', {}, { token }),
    register: async (token, authenticator = createAuthenticator(), deviations = {}) => {
      const begun = await passkeys.begin(token)
      return passkeys.finish(token, begun, authenticator.create(begun.body.options, deviations))
    },
    finish: (token, begun, credential) =>
      auth.post(
        '/passkeys/registration/verify',
        { challenge_id: begun.body.challenge_id, credential },
        { token },
      ),
    ask: () => auth.post('/passkeys/authentication/options', {}),
    answer: (requested, credential) =>
      auth.post('/passkeys/authentication/verify', {
        challenge_id: requested.body.challenge_id,
        credential,
      }),
    signIn: async (authenticator, deviations = {}) => {
      const requested = await passkeys.ask()
      return passkeys.answer(requested, authenticator.get(requested.body.options, deviations))
    },
    beginSignUp: (body = {}, options) => auth.post('/passkeys/signup/options', body, options),
    finishSignUp: (begun, credential, more = {}, options) =>
      auth.post(
        '/passkeys/signup/verify',
        { challenge_id: begun.body.challenge_id, credential, ...more },
        options,
      ),
    signUp: async (authenticator, more, options) => {
      const begun = await passkeys.beginSignUp({}, options)
      const credential = authenticator.create(begun.body.options)
      return passkeys.finishSignUp(begun, credential, more, options)
    },
    holder: async (algorithm) => passkeys.userOf(await auth.given.session(), algorithm),
    userOf: async (session, algorithm) => {
      const authenticator = createAuthenticator(algorithm)
      const { body } = await passkeys.register(session.accessToken, authenticator)
      return { ...session, authenticator, id: body.id }
    },
  }
  return passkeys
}

/** Stores a passkey of a user that cannot be used, and returns its id. */
export async function givenPasskey(auth: TestAuth, userId: string): Promise<string> {
  const id = crypto.randomUUID()
  await auth.rows(
    `insert into auth.passkeys values ($1::uuid, $2, $1::uuid::text, '', 0, '[]', 'none', $1::uuid, false, false, 'Passkey', $3, $3, null)`,
    [id, userId, auth.clock.now()],
  )
  return id
}
