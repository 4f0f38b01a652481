import { oidc } from '../../../src/credentials/external/oidc.ts'
import type { AuthConfig } from '../../../src/platform/config/config.ts'
import type { OutgoingSms } from '../../../src/platform/config/sections/sms.ts'
import { createAuthenticator } from '../authenticator.ts'
import { type FakeRealm, realmSettings, signInAtRealm, startFakeRealm } from '../fake-realm.ts'
import { newPerson } from '../linking.ts'
import { issuerKey, type OpenIdIssuer, signAs, startOpenIdIssuer } from '../openid-issuer.ts'
import { passkeysOf } from '../passkeys.ts'
import { startTestAuth, type TestAuth, testPassword } from '../test-auth.ts'
import { makeWallet, walletMessage } from '../wallets.ts'

/** A service with every sign-in method, and the external parties of them. */
export interface EveryWayIn {
  auth: TestAuth
  realm: FakeRealm
  /** Returns an id token of the issuer for a new user. */
  idToken(): string
  /** The messages to phones, the oldest first. */
  texts: OutgoingSms[]
  /** The codes of second factors that were mailed, the oldest first. */
  mailedCodes: string[]
  close(): Promise<void>
}

const key = issuerKey('ES256', 'key-1')

const on = { enrollEnabled: true, verifyEnabled: true }

export async function openEveryWayIn(): Promise<EveryWayIn> {
  const realm = await startFakeRealm()
  const issuer: OpenIdIssuer = await startOpenIdIssuer([key])
  const texts: OutgoingSms[] = []
  const mailedCodes: string[] = []
  const config: AuthConfig = {
    security: { ownDeletionEnabled: true, manualLinkingEnabled: true },
    anonymousUsers: { enabled: true },
    usernames: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    web3: { ethereumEnabled: true },
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
      deviceFlow: { enabled: true },
    },
    mfa: { phone: on, webAuthn: on, email: on, trustedDevices: { enabled: true } },
    providers: {
      keycloak: realmSettings(realm),
      acme: oidc({
        issuer: issuer.issuer,
        clientId: 'app',
        clientSecret: 'secret',
        label: 'Acme',
      }),
    },
    sms: { autoconfirm: true, send: (sent) => void texts.push(sent) },
    hooks: {
      sendEmail: ({ email_data: { email_action_type: action, token } }) => {
        if (action === 'mfa_code') mailedCodes.push(token)
      },
    },
  }
  const auth = await startTestAuth(config)
  return {
    auth,
    realm,
    texts,
    mailedCodes,
    idToken: () => {
      const now = Math.floor(auth.clock.now().getTime() / 1000)
      const claims = { iss: issuer.issuer, aud: 'app', iat: now, exp: now + 600, ...newPerson() }
      return signAs(key, claims)
    },
    close: async () => {
      await auth.close()
      await Promise.all([realm.close(), issuer.close()])
    },
  }
}

/** Signs in a new user, and returns the session on the wire. */
export type FirstFactorCase = (world: EveryWayIn) => Promise<WireSession>

interface WireSession {
  access_token: string
  refresh_token: string
}

let made = 0
const newEmail = () => `first-${++made}@example.test`
const newPhone = () => `4915770${String(++made).padStart(5, '0')}`

const ofMail =
  (type: 'magiclink' | 'recovery' | 'invite', by: 'link' | 'code'): FirstFactorCase =>
  async ({ auth }) => {
    const email = newEmail()
    if (type !== 'invite') await auth.given.user(email)
    const { hashedToken, emailOtp } = await auth.auth.admin.generateLink({ type, email })
    const proof = by === 'link' ? { type, token_hash: hashedToken } : { type: 'email', email }
    return (await auth.post('/verify', by === 'link' ? proof : { ...proof, token: emailOtp })).body
  }

/** Every sign-in method, by its value in `amr`. */
export const firstFactors = {
  password: [
    'password',
    async ({ auth }) => {
      const { email } = await auth.given.user(newEmail())
      const body = { email, password: testPassword }
      return (await auth.post('/token?grant_type=password', body)).body
    },
  ],
  'code by email': ['otp', ofMail('magiclink', 'code')],
  'magic link': ['otp', ofMail('magiclink', 'link')],
  'recovery link': ['otp', ofMail('recovery', 'link')],
  invitation: ['otp', ofMail('invite', 'link')],
  'code by phone': [
    'otp',
    async ({ auth, texts }) => {
      const phone = newPhone()
      await auth.post('/otp', { phone })
      await (await auth.deps()).outbox.settled()
      const token = texts.findLast(({ to }) => to.endsWith(phone))?.code
      return (await auth.post('/verify', { type: 'sms', phone, token })).body
    },
  ],
  provider: [
    'oauth',
    async ({ auth, realm }) =>
      (await signInAtRealm(auth, realm, newPerson())).fragment as unknown as WireSession,
  ],
  'id token': [
    'oauth',
    async ({ auth, idToken }) => {
      const body = { provider: 'acme', id_token: idToken() }
      return (await auth.post('/token?grant_type=id_token', body)).body
    },
  ],
  wallet: [
    'web3',
    async ({ auth }) => {
      const wallet = makeWallet('ethereum')
      const message = walletMessage(wallet, auth.clock.now())
      const body = { chain: 'ethereum', message, signature: wallet.sign(message) }
      return (await auth.post('/token?grant_type=web3', body)).body
    },
  ],
  passkey: [
    'passkey',
    async ({ auth }) => {
      const passkeys = passkeysOf(auth)
      const { authenticator } = await passkeys.holder()
      return (await passkeys.signIn(authenticator)).body
    },
  ],
  'sign-up by passkey': [
    'passkey',
    async ({ auth }) => (await passkeysOf(auth).signUp(createAuthenticator())).body,
  ],
  'anonymous, with an address since': [
    'anonymous',
    async ({ auth }) => {
      const { body } = await auth.post('/signup', {})
      await auth.put('/user', { email: newEmail() }, { token: body.access_token })
      return body
    },
  ],
} satisfies Record<string, [method: string, signIn: FirstFactorCase]>
