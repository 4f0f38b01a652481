import { createAuthenticator } from '../authenticator.ts'
import { givenPasskey } from '../passkeys.ts'
import { plainKey, securityKeysOf } from '../security-keys.ts'
import { type GivenSession, startTestAuth, type TestAuth } from '../test-auth.ts'
import { givenTrustedDevice } from '../trusted-devices.ts'
import type { Dice } from './dice.ts'
import { forgedTokens, type TokenMaterial } from './odd-tokens.ts'
import { canary } from './odd-values.ts'
import { makeKey, makeToken, sharedSecret } from './token-maker.ts'

/** The users and tokens for the requests to one endpoint. */
export interface FuzzWorld {
  emails: readonly string[]
  userIds: readonly string[]
  refreshToken: string
  /** The second factors of a user, and the token of the session that started their enrollment. */
  factor: FuzzedFactor
  /** A passkey of the same user. */
  passkeyId: string
  /** A trusted device of the same user. */
  deviceId: string
  serviceToken: string
  material: TokenMaterial
  /** Tokens that must not be accepted. */
  forged: readonly string[]
  /** Returns an access token of one of the users. */
  userToken(dice: Dice): string
  /** Returns the access token of a new session. */
  newSession(): Promise<string>
}

export interface FuzzedFactor {
  userId: string
  factorId: string
  challengeId: string
  /** A verified security key, a challenge to it, and the response to the challenge. */
  key: { factorId: string; challengeId: string; answer: object }
  recoveryCodes: readonly string[]
  token: string
  refreshToken: string
}

const signing = makeKey('ES256', 'signing', true)
const retired = makeKey('RS256', 'retired', false)
const keys = [signing, retired]

/**
 * Starts a service that accepts keys of three kinds, so that one could be confused with another.
 */
export const startFuzzedAuth = (): Promise<TestAuth> =>
  startTestAuth({
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
      deviceFlow: { enabled: true },
    },
    jwt: { secret: String(sharedSecret.key), keys: keys.map(({ jwk }) => jwk) },
    mfa: {
      phone: { enrollEnabled: true, verifyEnabled: true },
      trustedDevices: { enabled: true },
      webAuthn: { enrollEnabled: true, verifyEnabled: true },
    },
    security: { ownDeletionEnabled: true },
    providers: {
      github: { clientId: 'client', clientSecret: 'secret' },
      // No server listens there.
      keycloak: { clientId: 'client', clientSecret: 'secret', url: 'http://127.0.0.1:9' },
    },
    passkeys: { enabled: true, signUpEnabled: true },
    web3: { solanaEnabled: true, ethereumEnabled: true },
    anonymousUsers: { enabled: true },
    usernames: { enabled: true },
  })

/** Creates users for one endpoint, so that its requests do not affect other endpoints. */
export async function createFuzzWorld(auth: TestAuth, name: string): Promise<FuzzWorld> {
  const addressOf = (number: number) =>
    `${canary}.${Buffer.from(name).toString('hex')}.${number}@a.test`
  const sessions = await Promise.all(
    Array.from({ length: 8 }, (_, at) => auth.given.session(addressOf(at))),
  )
  const anonymous = await auth.auth.api.signInAnonymously()
  // A user with a factor needs more than a valid token.
  const [first, protectedOne] = sessions
  if (!first || !protectedOne) throw new Error('there is no session')
  const factor = await newFactor(auth, protectedOne)
  const { refreshToken } = factor
  const exp = Math.floor(auth.clock.now().getTime() / 1000) + 600
  const tokenFor = (sub: string) =>
    makeToken({}, { sub, aud: 'authenticated', role: 'authenticated', exp }, sharedSecret)
  const material: TokenMaterial = {
    claims: { sub: first.user.id, aud: 'authenticated', role: 'service_role', exp },
    keys,
    refreshToken,
  }
  let more = 0
  return {
    emails: sessions.map(({ user }) => user.email ?? ''),
    userIds: sessions.map(({ user }) => user.id),
    refreshToken,
    factor,
    passkeyId: await givenPasskey(auth, protectedOne.user.id),
    deviceId: await givenTrustedDevice(auth, protectedOne.user.id),
    serviceToken: await auth.given.serviceToken(),
    material,
    forged: forgedTokens(material),
    // Without a session, so that no sign-out revokes them.
    userToken: (dice) => tokenFor(dice.pick([...sessions, anonymous]).user.id),
    newSession: async () => (await auth.given.session(addressOf(10 + more++))).accessToken,
  }
}

async function newFactor(
  auth: TestAuth,
  { user, accessToken }: GivenSession,
): Promise<FuzzedFactor> {
  const { api } = auth.auth
  const keys = securityKeysOf(auth)
  const authenticator = createAuthenticator()
  const keyId = await keys.enroll(accessToken)
  const { body } = await keys.register(accessToken, keyId, authenticator)
  const token: string = body.access_token
  const { codes } = await api.generateRecoveryCodes({ accessToken: token })
  const { body: requested } = await keys.ask(token, keyId)
  const { type, credential_options: options } = requested.webauthn
  const { id: factorId } = await api.enrollFactor({ accessToken: token, factorType: 'totp' })
  const { id: challengeId } = await api.challengeFactor({ accessToken: token, factorId })
  return {
    userId: user.id,
    factorId,
    challengeId,
    key: {
      factorId: keyId,
      challengeId: requested.id,
      answer: { type, credential_response: authenticator.get(options.publicKey, plainKey) },
    },
    recoveryCodes: codes,
    token,
    refreshToken: body.refresh_token,
  }
}
