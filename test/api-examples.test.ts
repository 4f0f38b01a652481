/**
 * The examples of docs/api.md, one for each method: `npm run docs` copies the regions from here.
 * The code around a region provides the values that the page lists, and compares the result.
 */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleNames } from '../scripts/api-examples.ts'
import { memberNames } from '../scripts/api-members.ts'
import { type Auth, createAuth, oidc } from '../src/index.ts'
import { type Authenticator, createAuthenticator } from './support/authenticator.ts'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from './support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { asOauthServer, oauthOf } from './support/oauth-clients.ts'
import {
  discoveryPath,
  issuerKey,
  type OpenIdIssuer,
  signAs,
  startOpenIdIssuer,
} from './support/openid-issuer.ts'
import { type SecondFactors, secondFactors, totpOf } from './support/second-factors.ts'
import { freePort } from './support/server-process.ts'
import { testPassword as password, startTestAuth } from './support/test-auth.ts'
import { makeWallet, walletMessage } from './support/wallets.ts'

const key = issuerKey('ES256', 'key-1')
let realm: FakeRealm
let issuer: OpenIdIssuer
let service: MessagingAuth
let auth: Auth
let factors: SecondFactors

beforeAll(async () => {
  realm = await startFakeRealm()
  issuer = await startOpenIdIssuer([key])
  service = await startMessagingAuth({
    anonymousUsers: { enabled: true },
    encryptionKey: 'an encryption key of thirty-two bytes',
    mfa: { trustedDevices: { enabled: true } },
    passkeys: { enabled: true, signUpEnabled: true },
    webAuthn: { rpDisplayName: 'Acme' },
    providers: {
      keycloak: { ...realmSettings(realm), keepTokens: true },
      acme: oidc({ issuer: issuer.issuer, clientId: 'app', clientSecret: 'secret', label: 'Acme' }),
    },
    redirects: { allowList: ['https://app.example.test/**'] },
    security: { manualLinkingEnabled: true },
    web3: { ethereumEnabled: true, solanaEnabled: true },
  })
  auth = service.auth
  factors = secondFactors(service)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await realm.close()
})

let count = 0
const newEmail = () => `ada${++count}@example.com`
const codeSentTo = async (address: string) => (await service.messageTo(address)).code

/** Confirms a new address and returns its user and session. */
const ada = async () => {
  const email = newEmail()
  return { email, ...(await service.given.session(email)) }
}

/** A user with a second factor, whose session has verified it. */
const strong = async () => {
  const email = newEmail()
  return { email, ...(await factors.aal2Session(email)) }
}

const codeVerifier = 'a'.repeat(43)
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

describe('auth', () => {
  it('fetch', async () => {
    const request = new Request('https://app.example.test/health')
    // #region auth.fetch
    const response = await auth.fetch(request, { ip: '203.0.113.7' })
    // #endregion
    expect(response.status).toBe(200)
  })

  it('app and basePath', () => {
    const mounted: [string, (request: Request) => Promise<Response>][] = []
    const host = {
      mount: (path: string, fetch: (request: Request) => Promise<Response>) =>
        mounted.push([path, fetch]),
    }
    // #region auth.app
    host.mount(auth.basePath || '/', auth.app.fetch)
    // #endregion
    // #region auth.basePath
    const settings = `${auth.basePath}/settings`
    // #endregion
    expect([mounted[0]?.[0], settings]).toEqual(['/', '/settings'])
  })

  it('verifyToken', async () => {
    const { accessToken, user } = await ada()
    // #region auth.verifyToken
    const { sub, email, role } = await auth.verifyToken(accessToken)
    // #endregion
    expect([sub, email, role]).toEqual([user.id, user.email, 'authenticated'])
  })

  it('requireUser', async () => {
    const { accessToken, user: made } = await strong()
    const headers = { authorization: `Bearer ${accessToken}` }
    const request = new Request('https://app.example.test/', { headers })
    // #region auth.requireUser
    // As stored at this moment, with a second factor verified in the last 5 minutes.
    const { user, sessionId, aal } = await auth.requireUser(request, { aal: 2, within: '5m' })

    // From the token alone, without a query.
    const { userId } = await auth.requireUser(request, { strict: false })
    // #endregion
    expect([user.id, aal, userId]).toEqual([made.id, 'aal2', made.id])
    expect(sessionId).not.toBeNull()
  })

  it('callOptions', async () => {
    const { email } = await ada()
    const headers = { 'user-agent': 'Ada on a phone', 'accept-language': 'de' }
    const request = new Request('https://app.example.test/sign-in', { headers })
    // #region auth.callOptions
    const options = auth.callOptions(request)
    const { session } = await auth.api.signInWithPassword({ email, password }, options)
    // #endregion
    const sessions = await auth.api.listSessions({ accessToken: session.accessToken })
    expect(sessions.map(({ userAgent }) => userAgent)).toContain('Ada on a phone')
  })

  it('oauth', async () => {
    const other = await startTestAuth({
      ...asOauthServer,
      oauthServer: { ...asOauthServer.oauthServer, deviceFlow: { enabled: true } },
    })
    const { auth } = other
    const { client, begin, form } = oauthOf(other)
    const { user, accessToken } = await other.given.session()
    const userId = user.id
    const grant = 'urn:ietf:params:oauth:grant-type:device_code'
    const deviceClient = await client({ grant_types: ['authorization_code', grant] })
    const clientId = deviceClient.id
    const authorizationId = await begin(deviceClient)
    // #region auth.api.oauth.getAuthorizationDetails
    const details = await auth.api.oauth.getAuthorizationDetails({ accessToken, authorizationId })
    // #endregion
    // #region auth.api.oauth.approveAuthorization
    const { redirectUrl } = await auth.api.oauth.approveAuthorization({
      accessToken,
      authorizationId,
    })
    // #endregion
    expect(details).toMatchObject({ authorizationId, client: { clientId } })
    expect(new URL(redirectUrl).searchParams.get('code')).not.toBeNull()
    {
      const authorizationId = await begin(deviceClient, { prompt: 'consent' })
      await auth.api.oauth.getAuthorizationDetails({ accessToken, authorizationId })
      // #region auth.api.oauth.denyAuthorization
      const { redirectUrl } = await auth.api.oauth.denyAuthorization({
        accessToken,
        authorizationId,
      })
      // #endregion
      expect(redirectUrl).toContain('error=access_denied')
    }
    const { body } = await form('/oauth/device_authorization', {}, deviceClient)
    const userCode: string = body.user_code
    // #region auth.api.oauth.getDevice
    const device = await auth.api.oauth.getDevice({ accessToken, userCode })
    // #endregion
    expect(device).toMatchObject({ client: { clientId } })
    // #region auth.api.oauth.listGrants
    const grants = await auth.api.oauth.listGrants({ accessToken })
    // #endregion
    {
      // #region auth.admin.oauth.listGrants
      const grants = await auth.admin.oauth.listGrants(userId)
      // #endregion
      expect(grants).toMatchObject([{ client: { clientId }, scopes: ['email'] }])
      // #region auth.admin.oauth.revokeGrant
      await auth.admin.oauth.revokeGrant(userId, clientId)
      // #endregion
      expect(await auth.admin.oauth.listGrants(userId)).toEqual([])
      const reopened = await begin(deviceClient)
      await auth.api.oauth.getAuthorizationDetails({ accessToken, authorizationId: reopened })
      await auth.api.oauth.approveAuthorization({
        accessToken,
        authorizationId: reopened,
      })
    }
    // #region auth.api.oauth.revokeGrant
    await auth.api.oauth.revokeGrant({ accessToken, clientId })
    // #endregion
    expect(grants).toMatchObject([{ client: { clientId }, scopes: ['email'] }])
    expect(await auth.api.oauth.listGrants({ accessToken })).toEqual([])
    await other.close()
  })

  it('protectedResource', async () => {
    const other = await startTestAuth({
      oauthServer: { enabled: true, scopes: { 'invoice:read': 'See your invoices' } },
    })
    const { auth } = other
    const request = new Request('https://api.example.com/invoices')
    // #region auth.protectedResource
    const invoices = auth.protectedResource({
      resource: 'https://api.example.com/invoices',
      scopes: ['invoice:read'],
    })
    const access = await invoices.protect(request)
    // #endregion
    expect((access as Response).status).toBe(401)
    await other.close()
  })

  it('mailboxUrl', async () => {
    // #region auth.mailboxUrl
    const url = await auth.mailboxUrl() // null without `development: true`
    // #endregion
    expect(url).toBeNull()
  })

  it('ready and close', async () => {
    const config = {
      siteUrl: 'https://app.example.test',
      database: service.databaseUrl,
      jwt: { secret: 'a secret for tests of more than 32 bytes' },
      hooks: { sendEmail: async () => {} },
    }
    // #region auth.ready
    const auth = createAuth(config)
    await auth.ready()
    // #endregion
    // #region auth.close
    await auth.close()
    // #endregion
    await expect(auth.ready()).rejects.toThrow('closed')
  })

  it('runDueWork', async () => {
    // #region auth.runDueWork
    const { sent, failed, isDone } = await auth.runDueWork({ withinSeconds: 10 })
    // #endregion
    expect([sent, failed, isDone]).toEqual([0, 0, true])
  })
})

describe('auth.api', () => {
  it('signUp', async () => {
    const email = newEmail()
    // #region auth.api.signUp
    const { user, session } = await auth.api.signUp({ email, password, data: { name: 'Ada' } })
    if (session === null) console.log(`a link and a code were sent to ${user.email}`)
    // #endregion
    expect([user.email, session]).toEqual([email, null])
  })

  it('signInAnonymously', async () => {
    // #region auth.api.signInAnonymously
    const { user, session } = await auth.api.signInAnonymously({ data: { cart: 7 } })
    // #endregion
    expect([user.isAnonymous, session.accessToken]).toEqual([true, expect.any(String)])
  })

  it('signInWithPassword', async () => {
    const { email, user: made } = await ada()
    // #region auth.api.signInWithPassword
    const { user, session, weakPassword } = await auth.api.signInWithPassword({ email, password })
    // #endregion
    expect([user.id, weakPassword]).toEqual([made.id, null])
    expect((await auth.verifyToken(session.accessToken)).sub).toBe(made.id)
  })

  it('signInWithOtp', async () => {
    const { email } = await ada()
    // #region auth.api.signInWithOtp
    await auth.api.signInWithOtp({ email, createUser: false })
    // #endregion
    expect((await service.messageTo(email)).type).toBe('magiclink')
  })

  it('verifyOtp', async () => {
    const { email, user: made } = await ada()
    await auth.api.signInWithOtp({ email })
    const code = await codeSentTo(email)
    // #region auth.api.verifyOtp
    const { user, session } = await auth.api.verifyOtp({ type: 'email', email, token: code })
    // #endregion
    expect([user.id, session?.accessToken]).toEqual([made.id, expect.any(String)])
  })

  it('resend', async () => {
    const email = newEmail()
    await auth.api.signUp({ email, password })
    // #region auth.api.resend
    await auth.api.resend({ type: 'signup', email })
    // #endregion
    expect(await service.messagesTo(email)).toHaveLength(2)
  })

  it('resetPasswordForEmail', async () => {
    const { email } = await ada()
    // #region auth.api.resetPasswordForEmail
    await auth.api.resetPasswordForEmail({
      email,
      redirectTo: 'https://app.example.test/new-password',
    })
    // #endregion
    expect(await service.messageTo(email)).toMatchObject({
      type: 'recovery',
      redirectTo: 'https://app.example.test/new-password',
    })
  })

  it('followLink', async () => {
    const { email } = await ada()
    await auth.api.resetPasswordForEmail({ email })
    const { hash: token } = await service.messageTo(email)
    // #region auth.api.followLink
    const { redirectTo } = await auth.api.followLink({ type: 'recovery', token })
    // #endregion
    expect(redirectTo).toContain('#access_token=')
  })

  it('refreshSession', async () => {
    const { refreshToken, accessToken } = await ada()
    service.clock.advance(60)
    // #region auth.api.refreshSession
    const { session } = await auth.api.refreshSession({ refreshToken })
    // #endregion
    expect(session.accessToken).not.toBe(accessToken)
  })

  it('signOut', async () => {
    const { accessToken } = await ada()
    // #region auth.api.signOut
    await auth.api.signOut({ accessToken, scope: 'local' })
    // #endregion
    await expect(auth.api.getUser({ accessToken })).rejects.toMatchObject({
      code: 'session_not_found',
    })
  })

  it('listSessions and revokeSession', async () => {
    const { accessToken, email } = await ada()
    await auth.api.signInWithPassword({ email, password })
    // #region auth.api.listSessions
    const sessions = await auth.api.listSessions({ accessToken })
    // #endregion
    expect(sessions).toHaveLength(2)
    const [{ id: sessionId } = { id: '' }] = sessions
    // #region auth.api.revokeSession
    await auth.api.revokeSession({ accessToken, sessionId })
    // #endregion
    expect(await service.rows('select 1 from auth.sessions where id = $1', [sessionId])).toEqual([])
  })

  it('getUser', async () => {
    const { accessToken, email } = await ada()
    // #region auth.api.getUser
    const user = await auth.api.getUser({ accessToken })
    // #endregion
    expect(user.email).toBe(email)
  })

  it('updateUser', async () => {
    const { accessToken } = await ada()
    // #region auth.api.updateUser
    const user = await auth.api.updateUser({
      accessToken,
      password: 'correct horse battery staple',
      data: { name: 'Ada', theme: null },
    })
    // #endregion
    expect(user.userMetadata).toMatchObject({ name: 'Ada' })
  })

  it('reauthenticate', async () => {
    const { accessToken, email } = await ada()
    // #region auth.api.reauthenticate
    await auth.api.reauthenticate({ accessToken })
    // #endregion
    const nonce = await codeSentTo(email)
    // #region auth.api.deleteUser
    await auth.api.deleteUser({ accessToken, nonce })
    // #endregion
    expect(await auth.admin.findUser({ email })).toBeNull()
  })

  it('signInWithOAuth and exchangeCodeForSession', async () => {
    // #region auth.api.signInWithOAuth
    const { url } = await auth.api.signInWithOAuth({
      provider: 'keycloak',
      redirectTo: 'https://app.example.test/callback',
      codeChallenge,
      codeChallengeMethod: 's256',
    })
    // #endregion
    expect(url).toContain(realm.url)

    const query = { code_challenge: codeChallenge, code_challenge_method: 's256' }
    const person = { sub: `kc-${++count}`, email: newEmail(), email_verified: true }
    const { location } = await signInAtRealm(service, realm, person, query, openBrowser(service))
    const authCode = location.searchParams.get('code') ?? ''
    // #region auth.api.exchangeCodeForSession
    const { user, session, providerTokens } = await auth.api.exchangeCodeForSession({
      authCode,
      codeVerifier,
    })
    // #endregion
    expect([user.email, session.accessToken]).toEqual([person.email, expect.any(String)])
    expect(providerTokens?.accessToken).toEqual(expect.any(String))
  })

  it('signInWithIdToken', async () => {
    const now = Math.floor(service.clock.now().getTime() / 1000)
    const email = newEmail()
    const idToken = signAs(key, {
      iss: issuer.issuer,
      aud: 'app',
      iat: now,
      exp: now + 600,
      sub: 'acme-1',
      email,
      email_verified: true,
    })
    // #region auth.api.signInWithIdToken
    const { user, session } = await auth.api.signInWithIdToken({ provider: 'acme', idToken })
    // #endregion
    expect([user.email, session.accessToken]).toEqual([email, expect.any(String)])
    expect(issuer.requestsOf(discoveryPath)).toBeGreaterThan(0)
  })

  it('signInWithWeb3', async () => {
    const wallet = makeWallet('ethereum')
    const message = walletMessage(wallet, service.clock.now())
    const signature = wallet.sign(message)
    // #region auth.api.signInWithWeb3
    const { user } = await auth.api.signInWithWeb3({ chain: 'ethereum', message, signature })
    // #endregion
    expect(user.appMetadata).toMatchObject({ provider: 'web3' })
  })

  it('linkIdentity and unlinkIdentity', async () => {
    const person = { sub: `kc-${++count}`, email: newEmail(), email_verified: true }
    const { fragment } = await signInAtRealm(service, realm, person)
    const accessToken = fragment['access_token'] ?? ''
    await auth.api.updateUser({ accessToken, password: 'correct horse battery staple' })
    // #region auth.api.linkIdentity
    const { url } = await auth.api.linkIdentity({ accessToken, provider: 'acme' })
    // #endregion
    expect(url).toContain(issuer.issuer)

    const user = await auth.api.getUser({ accessToken })
    await auth.admin.updateUser(user.id, { email: newEmail(), emailConfirm: true })
    const identityId =
      (await auth.api.getUser({ accessToken })).identities.find(
        ({ provider }) => provider === 'keycloak',
      )?.id ?? ''
    // #region auth.api.unlinkIdentity
    await auth.api.unlinkIdentity({ accessToken, identityId })
    // #endregion
    const { identities } = await auth.api.getUser({ accessToken })
    expect(identities.map(({ provider }) => provider)).toEqual(['email'])
  })

  it('getProviderToken', async () => {
    const person = { sub: `kc-${++count}`, email: newEmail(), email_verified: true }
    const { fragment } = await signInAtRealm(service, realm, person)
    const accessToken = fragment['access_token'] ?? ''
    // #region auth.api.getProviderToken
    const token = await auth.api.getProviderToken({ accessToken, provider: 'keycloak' })
    // #endregion
    expect(token.accessToken).toEqual(expect.any(String))
  })

  it('the factors', async () => {
    const { accessToken } = await ada()
    // #region auth.api.enrollFactor
    const factor = await auth.api.enrollFactor({
      accessToken,
      factorType: 'totp',
      friendlyName: 'Phone',
    })
    // #endregion
    const factorId = factor.id
    // #region auth.api.challengeFactor
    const challenge = await auth.api.challengeFactor({ accessToken, factorId })
    // #endregion
    const challengeId = challenge.id
    const code = totpOf(factor.totp?.secret ?? '', service.clock.now())
    // #region auth.api.verifyFactor
    const { session } = await auth.api.verifyFactor({ accessToken, factorId, challengeId, code })
    // #endregion
    const raised = session.accessToken
    expect((await auth.verifyToken(raised)).aal).toBe('aal2')
    await removeFactor(raised, factorId)
    expect((await auth.api.getUser({ accessToken: raised })).factors).toEqual([])
  })

  async function removeFactor(accessToken: string, factorId: string) {
    // #region auth.api.unenrollFactor
    await auth.api.unenrollFactor({ accessToken, factorId })
    // #endregion
  }

  it('the recovery codes', async () => {
    const { accessToken, email } = await strong()
    // #region auth.api.generateRecoveryCodes
    const { codes } = await auth.api.generateRecoveryCodes({ accessToken })
    // #endregion
    expect(codes).toHaveLength(10)

    const { session: weak } = await auth.api.signInWithPassword({ email, password })
    const raised = await useRecoveryCode(weak.accessToken, codes[0] ?? '')
    expect((await auth.verifyToken(raised)).aal).toBe('aal2')
    await renewRecoveryCodes(raised)
  })

  async function useRecoveryCode(accessToken: string, code: string) {
    // #region auth.api.verifyRecoveryCode
    const { session } = await auth.api.verifyRecoveryCode({ accessToken, code })
    // #endregion
    return session.accessToken
  }

  async function renewRecoveryCodes(accessToken: string) {
    // #region auth.api.getRecoveryCodes
    const status = await auth.api.getRecoveryCodes({ accessToken })
    // #endregion
    expect(status.remaining).toBe(9)
    // #region auth.api.regenerateRecoveryCodes
    const { codes } = await auth.api.regenerateRecoveryCodes({ accessToken })
    // #endregion
    expect(codes).toHaveLength(10)
    // #region auth.api.unenrollRecoveryCodes
    await auth.api.unenrollRecoveryCodes({ accessToken })
    // #endregion
    await expect(auth.api.getRecoveryCodes({ accessToken })).rejects.toMatchObject({
      code: 'mfa_factor_not_found',
    })
  }

  it('the passkeys', async () => {
    const { accessToken, user: made } = await ada()
    const authenticator = createAuthenticator()
    const passkeyId = await registerPasskey(accessToken, authenticator)
    expect(await signInByPasskey(authenticator)).toBe(made.id)
    // #region auth.api.listPasskeys
    const passkeys = await auth.api.listPasskeys({ accessToken })
    // #endregion
    expect(passkeys.map(({ id }) => id)).toEqual([passkeyId])
    // #region auth.api.updatePasskey
    await auth.api.updatePasskey({ accessToken, passkeyId, friendlyName: 'Laptop' })
    // #endregion
    expect(await auth.api.listPasskeys({ accessToken })).toMatchObject([{ friendlyName: 'Laptop' }])
    // #region auth.api.deletePasskey
    await auth.api.deletePasskey({ accessToken, passkeyId })
    // #endregion
    expect(await auth.api.listPasskeys({ accessToken })).toEqual([])
  })

  async function registerPasskey(accessToken: string, authenticator: Authenticator) {
    // #region auth.api.startPasskeyRegistration
    const { challengeId, options } = await auth.api.startPasskeyRegistration({ accessToken })
    // #endregion
    const credential = authenticator.create(options)
    // #region auth.api.verifyPasskeyRegistration
    const passkey = await auth.api.verifyPasskeyRegistration({
      accessToken,
      challengeId,
      credential,
    })
    // #endregion
    return passkey.id
  }

  async function signInByPasskey(authenticator: Authenticator) {
    // #region auth.api.startPasskeyAuthentication
    const { challengeId, options } = await auth.api.startPasskeyAuthentication()
    // #endregion
    const credential = authenticator.get(options)
    // #region auth.api.verifyPasskeyAuthentication
    const { user } = await auth.api.verifyPasskeyAuthentication({ challengeId, credential })
    // #endregion
    return user.id
  }

  it('the sign-up by passkey', async () => {
    // #region auth.api.startPasskeySignUp
    const { challengeId, options } = await auth.api.startPasskeySignUp({ name: 'Ada' })
    // #endregion
    const credential = createAuthenticator().create(options)
    // #region auth.api.verifyPasskeySignUp
    const { user } = await auth.api.verifyPasskeySignUp({ challengeId, credential })
    // #endregion
    expect(user.email).toBeNull()
  })

  it('the trusted devices', async () => {
    const { accessToken, email } = await strong()
    // #region auth.api.trustDevice
    const { id, secret } = await auth.api.trustDevice({ accessToken })
    // #endregion
    const { session: weak } = await auth.api.signInWithPassword({ email, password })
    const next = await useTrustedDevice(weak.accessToken, secret)
    expect(next).not.toBe(secret)
    // #region auth.api.listTrustedDevices
    const devices = await auth.api.listTrustedDevices({ accessToken })
    // #endregion
    expect(devices.map((device) => device.id)).toEqual([id])
    const deviceId = id
    // #region auth.api.deleteTrustedDevice
    await auth.api.deleteTrustedDevice({ accessToken, deviceId })
    // #endregion
    expect(await auth.api.listTrustedDevices({ accessToken })).toEqual([])
  })

  async function useTrustedDevice(accessToken: string, secret: string) {
    // #region auth.api.verifyTrustedDevice
    const raised = await auth.api.verifyTrustedDevice({ accessToken, secret })
    // Stored by the device in place of the previous secret.
    const nextSecret = raised.secret
    // #endregion
    return nextSecret
  }

  it('explainRedirect', async () => {
    // #region auth.api.explainRedirect
    const decision = await auth.api.explainRedirect('https://evil.example/')
    // #endregion
    expect(decision.allowed).toBe(false)
  })
})

describe('auth.admin', () => {
  it('createUser and getUser', async () => {
    const email = newEmail()
    // #region auth.admin.createUser
    const user = await auth.admin.createUser({
      email,
      password,
      emailConfirm: true,
      appMetadata: { plan: 'pro' },
    })
    // #endregion
    const userId = user.id
    // #region auth.admin.getUser
    const { appMetadata } = await auth.admin.getUser(userId)
    // #endregion
    expect(appMetadata).toMatchObject({ plan: 'pro' })
  })

  it('findUser', async () => {
    const { email, user: made } = await ada()
    // #region auth.admin.findUser
    const user = await auth.admin.findUser({ email })
    // #endregion
    expect(user?.id).toBe(made.id)
  })

  it('listUsers', async () => {
    await ada()
    // #region auth.admin.listUsers
    const { users, nextCursor } = await auth.admin.listUsers({ emailPrefix: 'ada', limit: 1 })
    // #endregion
    expect([users.length, nextCursor]).toEqual([1, expect.any(String)])
  })

  it('updateUser', async () => {
    const userId = (await ada()).user.id
    // #region auth.admin.updateUser
    const user = await auth.admin.updateUser(userId, { appMetadata: { plan: 'pro', trial: null } })
    // #endregion
    expect(user.appMetadata).toMatchObject({ plan: 'pro' })
  })

  it('banUser and unbanUser', async () => {
    const userId = (await ada()).user.id
    // #region auth.admin.banUser
    const { bannedUntil } = await auth.admin.banUser(userId, { duration: '24h' })
    // #endregion
    expect(bannedUntil).toBeInstanceOf(Date)
    // #region auth.admin.unbanUser
    await auth.admin.unbanUser(userId)
    // #endregion
    expect((await auth.admin.getUser(userId)).bannedUntil).toBeNull()
  })

  it('deleteUser', async () => {
    const { email, user } = await ada()
    const userId = user.id
    // #region auth.admin.deleteUser
    await auth.admin.deleteUser(userId)
    // #endregion
    expect(await auth.admin.findUser({ email })).toBeNull()
  })

  it('exportUser and eraseUser', async () => {
    const { email, user } = await ada()
    const userId = user.id
    // #region auth.admin.exportUser
    const person = await (await auth.admin.exportUser(userId)).read()
    // #endregion
    expect(person.user?.email).toBe(email)
    // #region auth.admin.eraseUser
    await auth.admin.eraseUser(userId)
    // #endregion
    expect(await auth.admin.findUser({ email })).toBeNull()
  })

  it('listSessions, revokeSession and signOut', async () => {
    const { email, user } = await ada()
    await auth.api.signInWithPassword({ email, password })
    const userId = user.id
    // #region auth.admin.listSessions
    const sessions = await auth.admin.listSessions(userId)
    // #endregion
    expect(sessions).toHaveLength(2)
    const sessionId = sessions[0]?.id ?? ''
    // #region auth.admin.revokeSession
    await auth.admin.revokeSession(userId, sessionId)
    // #endregion
    expect(await auth.admin.listSessions(userId)).toHaveLength(1)
    // #region auth.admin.signOut
    await auth.admin.signOut(userId)
    // #endregion
    expect(await auth.admin.listSessions(userId)).toEqual([])
  })

  it('listFactors, getRecoveryCodes and deleteFactor', async () => {
    const { user, app } = await factors.recoverableSession(newEmail())
    const userId = user.id
    // #region auth.admin.listFactors
    const enrolled = await auth.admin.listFactors(userId)
    // #endregion
    expect(enrolled[0]?.id).toBe(app.id)
    // #region auth.admin.getRecoveryCodes
    const { remaining } = await auth.admin.getRecoveryCodes(userId)
    // #endregion
    expect(remaining).toBe(10)
    const factorId = app.id
    // #region auth.admin.deleteFactor
    await auth.admin.deleteFactor(userId, factorId)
    // #endregion
    expect((await auth.admin.listFactors(userId)).map(({ id }) => id)).not.toContain(factorId)
  })

  it('listPasskeys and deletePasskey', async () => {
    const { accessToken, user } = await ada()
    const userId = user.id
    const { challengeId, options } = await auth.api.startPasskeyRegistration({ accessToken })
    const credential = createAuthenticator().create(options)
    await auth.api.verifyPasskeyRegistration({ accessToken, challengeId, credential })
    // #region auth.admin.listPasskeys
    const passkeys = await auth.admin.listPasskeys(userId)
    // #endregion
    const passkeyId = passkeys[0]?.id ?? ''
    // #region auth.admin.deletePasskey
    await auth.admin.deletePasskey(userId, passkeyId)
    // #endregion
    expect([passkeys.length, await auth.admin.listPasskeys(userId)]).toEqual([1, []])
  })

  it('listTrustedDevices and deleteTrustedDevice', async () => {
    const { accessToken, user } = await strong()
    const userId = user.id
    await auth.api.trustDevice({ accessToken })
    // #region auth.admin.listTrustedDevices
    const devices = await auth.admin.listTrustedDevices(userId)
    // #endregion
    const deviceId = devices[0]?.id ?? ''
    // #region auth.admin.deleteTrustedDevice
    await auth.admin.deleteTrustedDevice(userId, deviceId)
    // #endregion
    expect([devices.length, await auth.admin.listTrustedDevices(userId)]).toEqual([1, []])
  })

  it('getProviderToken', async () => {
    const email = newEmail()
    await signInAtRealm(service, realm, { sub: `kc-${++count}`, email, email_verified: true })
    const userId = (await auth.admin.findUser({ email }))?.id ?? ''
    // #region auth.admin.getProviderToken
    const { accessToken } = await auth.admin.getProviderToken({ userId, provider: 'keycloak' })
    // #endregion
    expect(accessToken).toEqual(expect.any(String))
  })

  it('customProviders', async () => {
    // #region auth.admin.customProviders.createProvider
    const provider = await auth.admin.customProviders.createProvider({
      providerType: 'oauth2',
      identifier: 'custom:club',
      name: 'Club',
      clientId: 'app',
      clientSecret: 'secret',
      scopes: ['profile', 'email'],
      authorizationUrl: 'https://93.184.216.34/authorize',
      tokenUrl: 'https://93.184.216.34/token',
      userinfoUrl: 'https://93.184.216.34/me',
    })
    // #endregion
    // #region auth.admin.customProviders.listProviders
    const { providers } = await auth.admin.customProviders.listProviders({ type: 'oauth2' })
    // #endregion
    // #region auth.admin.customProviders.getProvider
    const { enabled } = await auth.admin.customProviders.getProvider('custom:club')
    // #endregion
    // #region auth.admin.customProviders.updateProvider
    await auth.admin.customProviders.updateProvider('custom:club', { enabled: false })
    // #endregion
    // #region auth.admin.customProviders.deleteProvider
    await auth.admin.customProviders.deleteProvider('custom:club')
    // #endregion
    expect([providers, enabled]).toEqual([[provider], true])
    expect(await auth.admin.customProviders.listProviders()).toEqual({ providers: [] })
  })

  it('oauth', async () => {
    const other = await startTestAuth({ oauthServer: { enabled: true } })
    const { auth } = other
    // #region auth.admin.oauth.createClient
    const { clientId, clientSecret } = await auth.admin.oauth.createClient({
      clientName: 'Notes',
      redirectUris: ['https://notes.example.com/callback'],
    })
    // #endregion
    // #region auth.admin.oauth.listClients
    const { clients, total } = await auth.admin.oauth.listClients({ perPage: 100 })
    // #endregion
    // #region auth.admin.oauth.getClient
    const client = await auth.admin.oauth.getClient(clientId)
    // #endregion
    // #region auth.admin.oauth.updateClient
    const { clientName } = await auth.admin.oauth.updateClient(clientId, { clientName: 'My notes' })
    // #endregion
    // #region auth.admin.oauth.regenerateClientSecret
    const { clientSecret: newSecret } = await auth.admin.oauth.regenerateClientSecret(clientId)
    // #endregion
    // #region auth.admin.oauth.deleteClient
    await auth.admin.oauth.deleteClient(clientId)
    // #endregion
    expect([clients, total, clientName]).toEqual([[client], 1, 'My notes'])
    expect(newSecret).not.toBe(clientSecret)
    expect((await auth.admin.oauth.listClients()).total).toBe(0)
    await other.close()
  })

  it('listAudit', async () => {
    const userId = (await ada()).user.id
    // #region auth.admin.listAudit
    const { entries } = await auth.admin.listAudit({ actorId: userId, limit: 20 })
    // #endregion
    expect(entries.map(({ action }) => action)).toContain('login')
  })

  it('explain', async () => {
    const { headers } = await service.post('/recover?redirect_to=https://evil.example/', {
      email: newEmail(),
    })
    const requestId = headers.get('x-request-id') ?? ''
    // #region auth.admin.explain
    const decisions = await auth.admin.explain(requestId)
    // #endregion
    expect(decisions.map(({ kind }) => kind)).toContain('redirect')
  })

  it('importUsers', async () => {
    const oldUsers = [
      { email: newEmail(), emailConfirm: true },
      { email: newEmail(), emailConfirm: true },
    ]
    // #region auth.admin.importUsers
    const { imported, refused } = await auth.admin.importUsers(oldUsers, {
      onRefused: console.warn,
    })
    // #endregion
    expect([imported, refused]).toEqual([2, 0])
  })

  it('inviteUser', async () => {
    const email = newEmail()
    // #region auth.admin.inviteUser
    const user = await auth.admin.inviteUser({ email, data: { team: 'engines' } })
    // #endregion
    expect([user.email, (await service.messageTo(email)).type]).toEqual([email, 'invite'])
  })

  it('generateLink', async () => {
    const { email } = await ada()
    // #region auth.admin.generateLink
    const { actionLink } = await auth.admin.generateLink({ type: 'recovery', email })
    // #endregion
    expect(actionLink).toContain('type=recovery')
  })
})

describe('auth.outbox', () => {
  it('list, preview and retry', async () => {
    // No server listens there, so the mail waits for another attempt.
    const port = await freePort()
    const smtp = { host: '127.0.0.1', port }
    const waiting = await startTestAuth({
      email: { autoconfirm: false, from: 'Acme <no-reply@example.test>', smtp },
    })
    await waiting.auth.api.signUp({ email: newEmail(), password })
    await expect
      .poll(async () => (await waiting.auth.outbox.list({ status: 'waiting' })).at(0)?.attempts)
      .toBe(1)
    await showOutbox(waiting.auth)
    await waiting.close()
  })

  async function showOutbox(auth: Auth) {
    // #region auth.outbox.list
    const messages = await auth.outbox.list({ status: 'waiting', limit: 20 })
    // #endregion
    expect(messages).toHaveLength(1)
    const messageId = messages[0]?.id ?? ''
    // #region auth.outbox.preview
    const preview = await auth.outbox.preview(messageId)
    // #endregion
    expect(preview).toMatchObject({ subject: expect.any(String), text: expect.any(String) })
    // #region auth.outbox.retry
    await auth.outbox.retry(messageId)
    // #endregion
    await expect
      .poll(async () => (await auth.outbox.list({ status: 'waiting' })).at(0)?.attempts)
      .toBe(1)
    // #region auth.outbox.discard
    await auth.outbox.discard(messageId)
    // #endregion
  }
})

describe('the examples', () => {
  it('are one for each method', () => {
    expect(exampleNames().toSorted()).toEqual(memberNames().toSorted())
  })
})
