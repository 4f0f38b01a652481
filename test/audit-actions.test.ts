import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditActions } from '../src/accounts/audit/actions.ts'
import { createAuthenticator } from './support/authenticator.ts'
import { confirmationForm } from './support/confirmation-page.ts'
import { customProvider } from './support/custom-providers.ts'
import { type FakeRealm, realmSettings, startFakeRealm } from './support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { callback, oauthOf } from './support/oauth-clients.ts'
import { secondFactors } from './support/second-factors.ts'
import { type Answer, testPassword } from './support/test-auth.ts'

// The actions of the wire's audit log, each with its kind, the requests that are recorded as it,
// and their actors. Actions of features that are not built yet are listed as such.

type Actor = 'the user' | 'an operator' | 'nobody'

interface Recorded {
  kind: string
  by: Record<string, Actor>
}

const recorded: Record<string, Recorded> = {
  login: {
    kind: 'account',
    by: {
      'POST /token?grant_type=password': 'the user',
      'POST /token?grant_type=pkce': 'the user',
      'POST /passkeys/authentication/verify': 'the user',
      'POST /passkeys/signup/verify': 'the user',
      'POST /verify, of an address that was proved': 'the user',
    },
  },
  invite_accepted: {
    kind: 'account',
    by: { 'GET /callback, of an invitation': 'the user' },
  },
  identity_linked: {
    kind: 'user',
    by: {
      'GET /callback, of an address that was proved': 'the user',
      'POST /callback, of a user who links': 'the user',
    },
  },
  identity_unlinked: {
    kind: 'user',
    by: { 'DELETE /user/identities/{id}': 'the user' },
  },
  logout: { kind: 'account', by: { 'POST /logout': 'the user' } },
  user_signedup: {
    kind: 'team',
    by: { 'POST /verify, of a sign-up': 'the user', 'POST /admin/users': 'an operator' },
  },
  user_invited: { kind: 'team', by: { 'POST /invite': 'an operator' } },
  user_deleted: {
    kind: 'team',
    by: { 'DELETE /admin/users/{id}': 'an operator', 'DELETE /user': 'the user' },
  },
  token_refreshed: { kind: 'token', by: { 'POST /token?grant_type=refresh_token': 'the user' } },
  user_modified: {
    kind: 'user',
    by: {
      'PUT /user': 'the user',
      'POST /verify, of a change': 'the user',
      'PUT /admin/users/{id}': 'an operator',
    },
  },
  user_recovery_requested: {
    kind: 'user',
    by: {
      'POST /recover': 'the user',
      'POST /otp': 'the user',
      'POST /magiclink': 'the user',
      'POST /recover, of nobody': 'nobody',
      'POST /admin/generate_link': 'an operator',
    },
  },
  user_reauthenticate_requested: { kind: 'user', by: { 'GET /reauthenticate': 'the user' } },
  user_confirmation_requested: {
    kind: 'user',
    by: { 'POST /signup': 'the user', 'POST /resend': 'the user' },
  },
  user_repeated_signup: {
    kind: 'user',
    by: { 'POST /signup, of an address that is taken': 'nobody' },
  },
  user_updated_password: { kind: 'user', by: { 'PUT /user, of a password': 'the user' } },
  factor_in_progress: { kind: 'factor', by: { 'POST /factors': 'the user' } },
  challenge_created: { kind: 'factor', by: { 'POST /factors/{id}/challenge': 'the user' } },
  verification_attempted: {
    kind: 'factor',
    by: {
      'POST /factors/{id}/verify': 'the user',
      'POST /factors/recovery-codes/verify': 'the user',
    },
  },
  recovery_codes_generated: {
    kind: 'factor',
    by: {
      'POST /factors/recovery-codes': 'the user',
      'POST /factors/recovery-codes/regenerate': 'the user',
    },
  },
  factor_updated: {
    kind: 'factor',
    by: { 'PUT /admin/users/{id}/factors/{id}': 'an operator' },
  },
  factor_unenrolled: { kind: 'factor', by: { 'DELETE /factors/{id}': 'the user' } },
  factor_deleted: {
    kind: 'factor',
    by: { 'DELETE /admin/users/{id}/factors/{id}': 'an operator' },
  },
  passkey_created: { kind: 'user', by: { 'POST /passkeys/registration/verify': 'the user' } },
  passkey_updated: { kind: 'user', by: { 'PATCH /passkeys/{id}': 'the user' } },
  passkey_deleted: {
    kind: 'user',
    by: {
      'DELETE /passkeys/{id}': 'the user',
      'DELETE /admin/users/{id}/passkeys/{id}': 'an operator',
    },
  },
  // Actions that only Latchkey has.
  trusted_device_added: { kind: 'factor', by: { 'POST /trusted-devices': 'the user' } },
  trusted_device_used: { kind: 'factor', by: { 'POST /trusted-devices/verify': 'the user' } },
  trusted_device_removed: {
    kind: 'factor',
    by: {
      'DELETE /trusted-devices/{id}': 'the user',
      'DELETE /admin/users/{id}/trusted-devices/{id}': 'an operator',
      'POST /trusted-devices/verify, with a copied secret': 'nobody',
    },
  },
  token_revoked: { kind: 'token', by: { 'DELETE /user/oauth/grants': 'the user' } },
  oauth_consent_granted: {
    kind: 'account',
    by: { 'POST /oauth/authorizations/{id}/consent': 'the user' },
  },
  custom_provider_created: {
    kind: 'team',
    by: { 'POST /admin/custom-providers': 'an operator' },
  },
  custom_provider_updated: {
    kind: 'team',
    by: { 'PUT /admin/custom-providers/{identifier}': 'an operator' },
  },
  custom_provider_deleted: {
    kind: 'team',
    by: { 'DELETE /admin/custom-providers/{identifier}': 'an operator' },
  },
  oauth_client_created: { kind: 'team', by: { 'POST /admin/oauth/clients': 'an operator' } },
  oauth_client_updated: {
    kind: 'team',
    by: {
      'PUT /admin/oauth/clients/{id}': 'an operator',
      'POST /admin/oauth/clients/{id}/regenerate_secret': 'an operator',
    },
  },
  oauth_client_deleted: { kind: 'team', by: { 'DELETE /admin/oauth/clients/{id}': 'an operator' } },
  // Acts in the console, in code and on the command line, which their own tests cover.
  user_exported: { kind: 'user', by: {} },
  signing_key_rotated: { kind: 'token', by: {} },
  message_retried: { kind: 'team', by: {} },
  message_discarded: { kind: 'team', by: {} },
  test_mail_sent: { kind: 'team', by: {} },
  signing_key_retired: { kind: 'token', by: {} },
  root_keys_resealed: { kind: 'token', by: {} },
  service_token_issued: { kind: 'token', by: {} },
  subscriber_list_created: { kind: 'team', by: {} },
  subscriber_list_updated: { kind: 'team', by: {} },
  subscriber_list_deleted: { kind: 'team', by: {} },
  // An action that only Latchkey has: the wire's log contains no failures.
  failed_sign_in: { kind: 'account', by: { 'POST /token, with a wrong password': 'nobody' } },
}

let auth: MessagingAuth
let realm: FakeRealm
const seen: Record<string, { action: string; kind: string; actor: Actor }[]> = {}

interface Entry {
  ip_address: string
  request_id: string
  payload: { action: string; log_type: string; actor_id: string; actor_username: string }
}

const ip = '198.51.100.77'
const serviceToken = () => auth.given.serviceToken('service_role')

interface RequestOptions {
  body?: object | string
  bearer?: string | undefined
  headers?: Record<string, string>
}

/** Sends a request and stores the audit entries of it. */
async function ask(
  name: string,
  method: string,
  path: string,
  { body, bearer, headers = {} }: RequestOptions = {},
): Promise<Answer> {
  auth.clock.advance(61)
  const answer = await auth.request(method, path, { body, token: bearer, ip, headers })
  const requestId = answer.headers.get('x-request-id')
  const { body: entries } = await auth.get('/admin/audit?per_page=1000', {
    token: await serviceToken(),
  })
  const own = (entries as Entry[]).filter(({ request_id: id }) => id === requestId)
  // Entries that count requests are sorted by the beginning of their hour. An erasure removes the
  // network addresses of the user.
  const kept = name === 'DELETE /user' ? (entries as Entry[]).slice(0, 1) : own
  seen[name] = kept.map(({ payload, ip_address: address }) => {
    expect(address, name).toBe(name === 'DELETE /user' ? '' : ip)
    const isUnknown = payload.actor_id === '00000000-0000-0000-0000-000000000000'
    const byRole = payload.actor_username === 'service_role' ? 'an operator' : 'nobody'
    return {
      action: payload.action,
      kind: payload.log_type,
      actor: isUnknown ? byRole : 'the user',
    }
  })
  return answer
}

/** Sends a callback of a provider that has verified this address. */
async function sendCallback(name: string, email: string, invitation = ''): Promise<void> {
  const challenge = { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' }
  const query = { provider: 'keycloak', invite_token: invitation, ...challenge }
  const left = await auth.get(`/authorize?${new URLSearchParams(query)}`)
  const state = new URL(left.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const [cookie = ''] = (left.headers.get('set-cookie') ?? '').split(';')
  const code = realm.codeFor({ sub: email, email, email_verified: true })
  const headers = { cookie }
  await ask(name, 'GET', `/callback?${new URLSearchParams({ state, code })}`, { headers })
}

/** Links an identity at a provider, and unlinks it. */
async function linkAndUnlink(): Promise<void> {
  const { accessToken: bearer } = await auth.given.session()
  const { url } = await auth.auth.api.linkIdentity({ accessToken: bearer, provider: 'keycloak' })
  const state = new URL(url).searchParams.get('state') ?? ''
  const code = realm.codeFor({ sub: 'linked', email: 'linked@actions.test', email_verified: true })
  const page = await auth.get(`/callback?${new URLSearchParams({ state, code })}`)
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
  await ask('POST /callback, of a user who links', 'POST', '/callback', {
    body: confirmationForm(page.text).toString(),
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
  })
  const { identities } = await auth.auth.api.getUser({ accessToken: bearer })
  const id = identities.find(({ provider }) => provider === 'keycloak')?.id
  await ask('DELETE /user/identities/{id}', 'DELETE', `/user/identities/${id}`, { bearer })
}

/** Enrolls an app, verifies and removes it; an operator removes the app of another user. */
async function proveFactors(): Promise<void> {
  const { accessToken: bearer } = await auth.given.session()
  const factors = secondFactors(auth)
  const body = { factor_type: 'totp' }
  const { body: app } = await ask('POST /factors', 'POST', '/factors', { bearer, body })
  const own = `/factors/${app.id}`
  const requested = await ask('POST /factors/{id}/challenge', 'POST', `${own}/challenge`, {
    bearer,
  })
  // The clock advances before each request.
  const code = factors.codeOf(app.totp, 2)
  const { body: strong } = await ask('POST /factors/{id}/verify', 'POST', `${own}/verify`, {
    bearer,
    body: { challenge_id: requested.body.id, code },
  })
  await useRecoveryCodes(strong.access_token)
  await ask('DELETE /factors/{id}', 'DELETE', own, { bearer: strong.access_token })

  const other = await auth.given.session()
  const { id } = await factors.enrolledApp(other.accessToken)
  const path = `/admin/users/${other.user.id}/factors/${id}`
  const operator = { bearer: await serviceToken() }
  const renamed = { friendly_name: 'the old phone' }
  await ask('PUT /admin/users/{id}/factors/{id}', 'PUT', path, { ...operator, body: renamed })
  await ask('DELETE /admin/users/{id}/factors/{id}', 'DELETE', path, operator)
}

/** Generates recovery codes twice, and uses one. */
async function useRecoveryCodes(bearer: string): Promise<void> {
  const path = '/factors/recovery-codes'
  await ask(`POST ${path}`, 'POST', path, { bearer })
  const again = `${path}/regenerate`
  const { body } = await ask(`POST ${again}`, 'POST', again, { bearer })
  const [code] = body.codes
  await ask(`POST ${path}/verify`, 'POST', `${path}/verify`, { bearer, body: { code } })
}

/** Registers passkeys, signs in with one, and removes one as an operator. */
async function usePasskeys(): Promise<void> {
  const { accessToken: bearer, user } = await auth.given.session()
  const authenticator = createAuthenticator()
  const register = async (name: string, one = createAuthenticator()) => {
    const { body } = await auth.post('/passkeys/registration/options', {}, { token: bearer })
    const credential = one.create(body.options)
    const answered = { challenge_id: body.challenge_id, credential }
    return ask(name, 'POST', '/passkeys/registration/verify', { bearer, body: answered })
  }
  const { body: first } = await register('POST /passkeys/registration/verify', authenticator)
  const { body: second } = await register('POST /passkeys/registration/verify, again')
  const { body: requested } = await auth.post('/passkeys/authentication/options', {})
  const credential = authenticator.get(requested.options)
  await ask('POST /passkeys/authentication/verify', 'POST', '/passkeys/authentication/verify', {
    body: { challenge_id: requested.challenge_id, credential },
  })
  const { body: begun } = await auth.post('/passkeys/signup/options', {})
  await ask('POST /passkeys/signup/verify', 'POST', '/passkeys/signup/verify', {
    body: {
      challenge_id: begun.challenge_id,
      credential: createAuthenticator().create(begun.options),
    },
  })
  const own = `/passkeys/${first.id}`
  await ask('PATCH /passkeys/{id}', 'PATCH', own, { bearer, body: { friendly_name: 'phone' } })
  await ask('DELETE /passkeys/{id}', 'DELETE', own, { bearer })
  const path = `/admin/users/${user.id}/passkeys/${second.id}`
  await ask('DELETE /admin/users/{id}/passkeys/{id}', 'DELETE', path, {
    bearer: await serviceToken(),
  })
}

/** Trusts devices, uses one, and revokes the trust. */
async function useTrustedDevices(): Promise<void> {
  const factors = secondFactors(auth)
  const { user, app, accessToken: old } = await factors.aal2Session()
  auth.clock.advance(61)
  const { body: session } = await factors.prove(old, app)
  const bearer = session.access_token
  const trust = () => ask('POST /trusted-devices', 'POST', '/trusted-devices', { bearer })
  const [first, second, third] = [(await trust()).body, (await trust()).body, (await trust()).body]
  const path = '/trusted-devices/verify'
  const body = { secret: third.secret }
  const { body: raised } = await ask('POST /trusted-devices/verify', 'POST', path, { bearer, body })
  const copied = 'POST /trusted-devices/verify, with a copied secret'
  await ask(copied, 'POST', path, { bearer: raised.access_token, body })
  const own = `/trusted-devices/${first.id}`
  await ask('DELETE /trusted-devices/{id}', 'DELETE', own, { bearer })
  const ofUser = `/admin/users/${user.id}/trusted-devices/${second.id}`
  await ask('DELETE /admin/users/{id}/trusted-devices/{id}', 'DELETE', ofUser, {
    bearer: await serviceToken(),
  })
}

/** Creates an OAuth client, grants it access and revokes the access. */
async function useOauthClients(): Promise<void> {
  const oauth = oauthOf(auth)
  const { accessToken: bearer } = await auth.given.session()
  const clients = '/admin/oauth/clients'
  const operator = await serviceToken()
  const { body: client } = await ask(`POST ${clients}`, 'POST', clients, {
    bearer: operator,
    body: { redirect_uris: [callback] },
  })
  const own = `${clients}/${client.client_id}`
  await ask(`PUT ${clients}/{id}`, 'PUT', own, {
    bearer: operator,
    body: { client_name: 'Notes' },
  })
  await ask(`POST ${clients}/{id}/regenerate_secret`, 'POST', `${own}/regenerate_secret`, {
    bearer: operator,
  })
  const id = await oauth.begin({ id: client.client_id, secret: null })
  await oauth.open(id, bearer)
  const consent = `/oauth/authorizations/${id}/consent`
  await ask('POST /oauth/authorizations/{id}/consent', 'POST', consent, {
    bearer,
    body: { action: 'approve' },
  })
  const grant = `/user/oauth/grants?client_id=${client.client_id}`
  await ask('DELETE /user/oauth/grants', 'DELETE', grant, { bearer })
  await ask(`DELETE ${clients}/{id}`, 'DELETE', own, { bearer: operator })
}

/** Registers an external provider, changes and deletes it. */
async function useCustomProviders(): Promise<void> {
  const bearer = await serviceToken()
  const all = '/admin/custom-providers'
  const body = customProvider('custom:club')
  await ask(`POST ${all}`, 'POST', all, { bearer, body })
  const own = `${all}/custom:club`
  await ask(`PUT ${all}/{identifier}`, 'PUT', own, { bearer, body: { name: 'Other' } })
  await ask(`DELETE ${all}/{identifier}`, 'DELETE', own, { bearer })
}

const passwordGrant = '/token?grant_type=password'

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    security: { ownDeletionEnabled: true, manualLinkingEnabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
    providers: { keycloak: realmSettings(realm) },
    oauthServer: { enabled: true, authorizationPath: '/consent' },
  })
  const email = 'everything@actions.test'
  const credentials = { email, password: testPassword }
  const code = async (to = email) => (await auth.messageTo(to)).code

  await ask('POST /signup', 'POST', '/signup', { body: credentials })
  await ask('POST /resend', 'POST', '/resend', { body: { type: 'signup', email } })
  await ask('POST /verify, of a sign-up', 'POST', '/verify', {
    body: { type: 'signup', email, token: await code() },
  })
  await ask('POST /signup, of an address that is taken', 'POST', '/signup', { body: credentials })
  await ask('POST /token, with a wrong password', 'POST', passwordGrant, {
    body: { email, password: 'wrong' },
  })
  const { body: session } = await ask('POST /token?grant_type=password', 'POST', passwordGrant, {
    body: credentials,
  })
  const bearer = session.access_token
  await ask('POST /token?grant_type=refresh_token', 'POST', '/token?grant_type=refresh_token', {
    body: { refresh_token: session.refresh_token },
  })
  await ask('GET /reauthenticate', 'GET', '/reauthenticate', { bearer })
  await ask('PUT /user', 'PUT', '/user', { bearer, body: { data: { a: 1 } } })
  await ask('POST /recover', 'POST', '/recover', { body: { email } })
  await ask('POST /recover, of nobody', 'POST', '/recover', { body: { email: 'no@actions.test' } })
  await ask('POST /otp', 'POST', '/otp', { body: { email } })
  await ask('POST /verify, of an address that was proved', 'POST', '/verify', {
    body: { type: 'magiclink', email, token: await code() },
  })
  const challenge = { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' }
  await ask('POST /magiclink', 'POST', '/magiclink', { body: { email, ...challenge } })
  const { url } = await auth.follow(await auth.messageTo(email))
  const authCode = url?.searchParams.get('code')
  await ask('POST /token?grant_type=pkce', 'POST', '/token?grant_type=pkce', {
    body: { auth_code: authCode, code_verifier: 'v'.repeat(43) },
  })
  const newEmail = 'other@actions.test'
  await auth.put('/user', { email: newEmail }, { token: bearer })
  await ask('POST /verify, of a change', 'POST', '/verify', {
    body: { type: 'email_change', email: newEmail, token: await code(newEmail) },
  })
  await ask('PUT /user, of a password', 'PUT', '/user', {
    bearer,
    body: { password: 'a brand new password' },
  })

  const operator = { bearer: await serviceToken() }
  const made = await ask('POST /admin/users', 'POST', '/admin/users', {
    ...operator,
    body: { email: 'made@actions.test', email_confirm: true },
  })
  const path = `/admin/users/${made.body.id}`
  await ask('PUT /admin/users/{id}', 'PUT', path, { ...operator, body: { role: 'x' } })
  await ask('POST /admin/generate_link', 'POST', '/admin/generate_link', {
    ...operator,
    body: { type: 'recovery', email: 'made@actions.test' },
  })
  await ask('DELETE /admin/users/{id}', 'DELETE', path, operator)
  await ask('POST /invite', 'POST', '/invite', {
    ...operator,
    body: { email: 'invited@actions.test' },
  })

  const invited = await auth.messageTo('invited@actions.test')
  await sendCallback('GET /callback, of an invitation', 'invited@actions.test', invited.hash)
  const { email: known } = await auth.given.user()
  await sendCallback('GET /callback, of an address that was proved', known ?? '')

  await linkAndUnlink()
  await proveFactors()
  await usePasskeys()
  await useTrustedDevices()
  await useOauthClients()
  await useCustomProviders()
  // Only a sign-out that ends a session is recorded.
  await auth.post(passwordGrant, { email, password: 'a brand new password' })
  await ask('POST /logout', 'POST', '/logout?scope=others', { bearer })
  await ask('DELETE /user', 'DELETE', '/user', {
    bearer,
    body: { password: 'a brand new password' },
  })
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})

const requests = Object.entries(recorded).flatMap(([action, { kind, by }]) =>
  Object.entries(by).map(([name, actor]) => ({ name, action, kind, actor })),
)

describe('the audit log', () => {
  it.each(requests)('records $name as $action, by $actor', ({ name, action, kind, actor }) => {
    expect(seen[name]).toContainEqual({ action, kind, actor })
  })

  it('has all actions of the wire', () => {
    expect(Object.keys(auditActions).toSorted()).toEqual(Object.keys(recorded).toSorted())
  })
})
