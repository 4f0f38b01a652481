import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import {
  type FakeRealm,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type Linking, linking, newPerson } from '../../../test/support/linking.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Passkeys, passkeysOf } from '../../../test/support/passkeys.ts'
import { claimsIn, secondFactors } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { makeWallet, type Wallet, walletMessage } from '../../../test/support/wallets.ts'
import { suspendedPasskey } from '../../accounts/addresses/reject-suspended-credential.ts'
import { readUserToImport } from '../../service/api/user-to-import.ts'

// An attacker plants a session of an account without an address in a browser, whose owner then
// confirms an address for it.

let realm: FakeRealm
let auth: MessagingAuth
/** Confirms addresses at once. */
let trusting: MessagingAuth
let passkeys: Passkeys
let identities: Linking

beforeAll(async () => {
  realm = await startFakeRealm()
  const config = {
    anonymousUsers: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    web3: { ethereumEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
    security: { manualLinkingEnabled: true },
    providers: { keycloak: { ...realmSettings(realm), emailOptional: true } },
  }
  auth = await startMessagingAuth(config)
  trusting = await startMessagingAuth({
    ...config,
    email: { autoconfirm: true },
    sms: { autoconfirm: true },
  })
  passkeys = passkeysOf(auth)
  identities = linking(auth, realm)
})
afterAll(async () => {
  await Promise.all([auth.close(), trusting.close()])
  await realm.close()
})

const eve = { ip: '192.0.2.66' }
const ada = { ip: '203.0.113.50' }

let made = 0
const newEmail = () => `first-${++made}@example.test`
const newPhone = () => `49158${String(++made).padStart(8, '0')}`

interface Planted {
  id: string
  token: string
  refreshToken: string
}

const sessionIn = ({ body }: Awaited<ReturnType<MessagingAuth['post']>>): Planted => ({
  id: String(body.user.id),
  token: String(body.access_token),
  refreshToken: String(body.refresh_token),
})

const anonymous = async (on = auth) =>
  sessionIn(await on.post('/signup', { data: { cart: 7 } }, eve))

/** Creates an account with only a passkey. */
async function withPasskey() {
  const authenticator = createAuthenticator()
  return { ...sessionIn(await passkeys.signUp(authenticator, {}, eve)), authenticator }
}

const signInWithWallet = (wallet: Wallet, on = auth) => {
  const message = walletMessage(wallet, on.clock.now(), { statement: `Sign-in ${++made}` })
  const body = { chain: wallet.chain, message, signature: wallet.sign(message) }
  return on.post('/token?grant_type=web3', body, eve)
}

/** Adds an address in a session, and confirms it from the network of its owner. */
async function proveEmail({ token }: Pick<Planted, 'token'>, email = newEmail()) {
  await auth.put('/user', { email }, { token, ...ada })
  const { hash } = await auth.messageTo(email)
  return auth.post('/verify', { type: 'email_change', token_hash: hash }, ada)
}

async function provePhone({ token }: Pick<Planted, 'token'>, phone = newPhone()) {
  await auth.put('/user', { phone }, { token, ...ada })
  const { code } = await auth.messageTo(phone)
  return auth.post('/verify', { type: 'phone_change', phone, token: code }, ada)
}

const endOf = async ({ token, refreshToken }: Planted, on = auth) => {
  const used = await on.get('/user', { token, ...eve })
  const renewed = await on.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })
  return [used.body.error_code ?? 'live', renewed.body.error_code ?? 'live']
}
const ended = ['session_not_found', 'refresh_token_not_found']
const live = ['live', 'live']

const statusAndCode = ({ status, body }: Awaited<ReturnType<MessagingAuth['post']>>) => [
  status,
  body.error_code,
]

describe('S05: the first confirmed address of an account', () => {
  it.each([
    ['email', proveEmail],
    ['phone', provePhone],
  ] as const)('ends a planted session (%s), and keeps metadata', async (_kind, prove) => {
    const planted = await anonymous()

    const proved = await prove(planted)

    expect(proved.body.user).toMatchObject({ id: planted.id, user_metadata: { cart: 7 } })
    expect(await endOf(planted)).toEqual(ended)
    expect((await auth.get('/user', { token: proved.body.access_token })).status).toBe(200)
  })

  it('ends the session by a link that a browser follows, too', async () => {
    const planted = await anonymous()
    const email = newEmail()
    await auth.put('/user', { email }, { token: planted.token, ...ada })

    const { fragment } = await auth.follow(await auth.messageTo(email))

    expect(await endOf(planted)).toEqual(ended)
    const token = fragment.get('access_token') ?? ''
    expect((await auth.get('/user', { token })).body).toMatchObject({ id: planted.id, email })
  })

  it('removes the password, factors, recovery codes and trusted devices', async () => {
    const planted = await withPasskey()
    const factors = secondFactors(auth)
    await auth.put('/user', { password: testPassword }, { token: planted.token, ...eve })
    const app = await factors.enrolledApp(planted.token)
    const { body: strong } = await factors.prove(planted.token, app)
    await factors.generateCodes(strong.access_token)
    await auth.post('/trusted-devices', {}, { token: strong.access_token })

    const email = newEmail()
    const proved = await proveEmail({ token: strong.access_token }, email)

    expect(statusAndCode(proved)).toEqual([200, undefined])
    const [left] = await auth.rows(
      `select password_hash,
        (select count(*)::int from auth.factors where user_id = u.id) as factors,
        (select count(*)::int from auth.trusted_devices where user_id = u.id) as devices,
        (select count(*)::int from auth.recovery_codes c join auth.factors f on f.id = c.factor_id
          where f.user_id = u.id) as codes
       from auth.users u where id = $1`,
      [planted.id],
    )
    expect(left).toEqual({ password_hash: null, factors: 0, devices: 0, codes: 0 })
    expect(await endOf(planted)).toEqual(ended)
  })

  it('removes a password of the same request, set while no address was confirmed', async () => {
    const planted = await anonymous()
    const email = newEmail()
    await auth.put('/user', { email, password: testPassword }, { token: planted.token, ...ada })
    const { hash } = await auth.messageTo(email)
    await auth.post('/verify', { type: 'email_change', token_hash: hash }, ada)

    const { body } = await auth.post('/token?grant_type=password', {
      email,
      password: testPassword,
    })

    expect(body.error_code).toBe('invalid_credentials')
  })

  it('revokes a change of the other address that was requested before', async () => {
    const planted = await anonymous()
    const [phone, email] = [newPhone(), newEmail()]
    await auth.put('/user', { phone }, { token: planted.token, ...eve })
    const { code } = await auth.messageTo(phone)

    const proved = await proveEmail(planted, email)
    const late = await auth.post('/verify', { type: 'phone_change', phone, token: code }, eve)

    expect(proved.body.user).not.toHaveProperty('new_phone')
    expect(statusAndCode(late)).toEqual([403, 'otp_expired'])
  })

  it.each([
    ['email', proveEmail, 'email_not_confirmed'],
    ['phone', provePhone, 'phone_not_confirmed'],
  ] as const)('suspends a passkey (%s), and shows it', async (_kind, prove, code) => {
    const planted = await withPasskey()

    const proved = await prove(planted)

    expect(statusAndCode(await passkeys.signIn(planted.authenticator))).toEqual([403, code])
    const { body: listed } = await auth.get('/passkeys', { token: proved.body.access_token })
    expect(listed).toMatchObject([{ suspended_at: auth.clock.now().toISOString() }])
    const [typed] = await auth.auth.admin.listPasskeys(planted.id)
    expect(typed?.suspendedAt).toEqual(auth.clock.now())
  })

  it('suspends a wallet', async () => {
    const wallet = makeWallet('ethereum')
    const planted = sessionIn(await signInWithWallet(wallet))

    const proved = await proveEmail(planted)

    expect(proved.body.user.identities).toMatchObject([
      { provider: 'web3', suspended_at: auth.clock.now().toISOString() },
      { provider: 'email' },
    ])
    expect(statusAndCode(await signInWithWallet(wallet))).toEqual([403, 'email_not_confirmed'])
    expect(await endOf(planted)).toEqual(ended)
  })

  it('suspends an identity at a provider, which then links no other identity to the account', async () => {
    const person = { sub: `no-address-${++made}`, name: 'Eve' }
    const { fragment } = await signInAtRealm(auth, realm, person)
    const planted = { token: fragment['access_token'] ?? '' }

    const proved = await proveEmail(planted)
    const known = await signInAtRealm(auth, realm, person)
    await auth.rows('update auth.identities set email = $1 where subject = $2', [
      'eve@example.test',
      person.sub,
    ])
    await auth.rows(
      `update auth.identities set identity_data = '{"email": "eve@example.test", "email_verified": true}'
       where subject = $1`,
      [person.sub],
    )
    const other = await signInAtRealm(auth, realm, {
      sub: `other-${made}`,
      email: 'eve@example.test',
      email_verified: true,
    })

    expect(proved.status).toBe(200)
    expect(known.query['error_code'] ?? known.fragment['error_code']).toBe('email_not_confirmed')
    const { body } = await auth.get('/user', { token: other.fragment['access_token'] })
    expect(body.id).not.toBe(proved.body.user.id)
  })

  it('applies to linking: the identity that proves it stays, all earlier ones end', async () => {
    const planted = await withPasskey()
    const person = newPerson()

    const { fragment } = await identities.link(planted.token, person)

    const token = fragment['access_token'] ?? ''
    const { body } = await auth.get('/user', { token })
    expect(body).toMatchObject({ id: planted.id, email: person.email })
    expect(body.identities[0]).not.toHaveProperty('suspended_at')
    expect(await endOf(planted)).toEqual(ended)
    expect(statusAndCode(await passkeys.signIn(planted.authenticator))).toEqual([
      403,
      'email_not_confirmed',
    ])
    const again = await signInAtRealm(auth, realm, person)
    expect(again.fragment).toHaveProperty('access_token')
  })

  it('applies to a sign-in with an identity whose provider has verified an address since', async () => {
    const person = { sub: `later-${++made}`, name: 'Ada' }
    const first = await signInAtRealm(auth, realm, person)
    const { body: user } = await auth.get('/user', { token: first.fragment['access_token'] })
    const planted = {
      id: String(user.id),
      token: first.fragment['access_token'] ?? '',
      refreshToken: first.fragment['refresh_token'] ?? '',
    }
    const { authenticator } = await passkeys.userOf({
      ...(await auth.given.session()),
      accessToken: planted.token,
    })

    const email = newEmail()
    const next = await signInAtRealm(auth, realm, { ...person, email, email_verified: true })

    const { body } = await auth.get('/user', { token: next.fragment['access_token'] })
    expect(body).toMatchObject({ id: planted.id, email })
    expect(await endOf(planted)).toEqual(ended)
    expect(statusAndCode(await passkeys.signIn(authenticator))).toEqual([
      403,
      'email_not_confirmed',
    ])
  })

  it.each(['email', 'phone'] as const)(
    'ends every session but the calling one where the %s is autoconfirmed',
    async (kind) => {
      const own = passkeysOf(trusting)
      const authenticator = createAuthenticator()
      const other = sessionIn(await own.signUp(authenticator, {}, eve))
      const calling = sessionIn(await own.signIn(authenticator))
      await trusting.rows('update auth.users set is_anonymous = true where id = $1', [calling.id])
      const address = kind === 'email' ? newEmail() : newPhone()

      const { status, body } = await trusting.put(
        '/user',
        { [kind]: address },
        { token: calling.token },
      )

      expect([status, body]).toMatchObject([200, { [kind]: address, is_anonymous: false }])
      expect(await endOf(other, trusting)).toEqual(ended)
      expect(await endOf(calling, trusting)).toEqual(live)
      expect(statusAndCode(await own.signIn(authenticator))).toEqual([403, `${kind}_not_confirmed`])
    },
  )

  it('revokes codes and links where a phone that an operator stored is autoconfirmed', async () => {
    const person = { sub: `stored-${++made}`, name: 'Eve' }
    const verifier = 'v'.repeat(43)
    const challenge = { code_challenge: verifier, code_challenge_method: 'plain' }
    const { fragment } = await signInAtRealm(trusting, realm, person)
    const token = fragment['access_token'] ?? ''
    const { body: user } = await trusting.get('/user', { token })
    const phone = newPhone()
    await trusting.auth.admin.updateUser(user.id, { phone })
    const planted = await signInAtRealm(trusting, realm, person, challenge)
    expect(planted.query['code']).toBeTruthy()
    await trusting.rows(
      `insert into auth.one_time_tokens (id, user_id, purpose, requested_by, sent_to, token_hash,
        code_hash, expires_at, created_at)
       values (gen_random_uuid(), $1, 'recovery', 'recover', 'x', repeat('a', 43), repeat('b', 43),
        now() + interval '1 day', now())`,
      [user.id],
    )

    const { status } = await trusting.put('/user', { phone }, { token })
    const exchanged = await trusting.post('/token?grant_type=pkce', {
      auth_code: planted.query['code'],
      code_verifier: verifier,
    })

    expect(status).toBe(200)
    expect(statusAndCode(exchanged)).toEqual([404, 'flow_state_not_found'])
    const left = 'select id from auth.one_time_tokens where user_id = $1'
    expect(await trusting.rows(left, [user.id])).toEqual([])
  })

  it('lowers the continuing session to aal1 where the phone is autoconfirmed, with the factor', async () => {
    const factors = secondFactors(trusting)
    const planted = sessionIn(await passkeysOf(trusting).signUp(createAuthenticator(), {}, eve))
    const app = await factors.enrolledApp(planted.token)
    const { body: strong } = await factors.prove(planted.token, app)
    const phone = newPhone()

    const { status } = await trusting.put('/user', { phone }, { token: strong.access_token })
    const { body } = await factors.refresh(strong.refresh_token)

    expect(status).toBe(200)
    const { aal, amr } = claimsIn(body.access_token)
    expect([aal, amr]).toEqual(['aal1', [{ method: 'passkey', timestamp: expect.any(Number) }]])
    const request = new Request('http://localhost/', {
      headers: { authorization: `Bearer ${strong.access_token}` },
    })
    await expect(
      trusting.auth.requireUser(request, { aal: 2, strict: true }),
    ).rejects.toMatchObject({ code: 'mfa_factor_not_found' })
  })

  it.each(['by mail', 'at a provider'])(
    'suspends a passkey of an account with data of an operator (%s), which stays',
    async (how) => {
      const planted = await withPasskey()
      const email = newEmail()
      const token = await auth.given.serviceToken()
      const given = { email, password: testPassword, user_metadata: { plan: 'pro' } }
      await auth.put(`/admin/users/${planted.id}`, given, { token })

      if (how === 'by mail') {
        await auth.post('/otp', { email }, ada)
        const { hash, type } = await auth.messageTo(email)
        await auth.post('/verify', { type, token_hash: hash }, ada)
      } else {
        await signInAtRealm(auth, realm, { sub: `own-${++made}`, email, email_verified: true })
      }

      expect(statusAndCode(await passkeys.signIn(planted.authenticator))).toEqual([
        403,
        'email_not_confirmed',
      ])
      const own = await auth.post('/token?grant_type=password', { email, password: testPassword })
      expect(own.body.user).toMatchObject({ id: planted.id, user_metadata: { plan: 'pro' } })
    },
  )

  it.each([{ email_confirm: true }, { email_confirm: true, password: testPassword }])(
    'ends and suspends credentials of competing clients where an operator confirms the address by %j',
    async (change) => {
      const person = { sub: `contested-${++made}`, email: newEmail(), email_verified: false }
      const { email } = person
      const loose = await startMessagingAuth({
        passkeys: { enabled: true },
        email: { autoconfirm: false, allowUnverifiedSignIns: true },
        providers: { keycloak: realmSettings(realm) },
      })
      const { fragment } = await signInAtRealm(loose, realm, person)
      const [token = '', refreshToken = ''] = [fragment['access_token'], fragment['refresh_token']]
      const { body } = await loose.get('/user', { token })
      const planted = { id: String(body.id), token, refreshToken }
      const authenticator = createAuthenticator()
      await passkeysOf(loose).register(token, authenticator)
      await loose.post('/otp', { email }, ada)

      const service = await loose.given.serviceToken()
      await loose.put(`/admin/users/${planted.id}`, change, { token: service })

      expect(await endOf(planted, loose)).toEqual(ended)
      const refused = [403, 'email_not_confirmed']
      expect(statusAndCode(await passkeysOf(loose).signIn(authenticator))).toEqual(refused)
      const again = await signInAtRealm(loose, realm, person)
      expect(again.fragment['error_code']).toBe('email_not_confirmed')
      await loose.close()
    },
  )

  it('keeps a wallet suspended in an import of the response of GET /admin/users', async () => {
    const wallet = makeWallet('ethereum')
    const { id } = sessionIn(await signInWithWallet(wallet))
    const email = newEmail()
    await proveEmail(sessionIn(await signInWithWallet(wallet)), email)
    const token = await auth.given.serviceToken()
    const { body } = await auth.get(`/admin/users/${id}`, { token })
    const moved = await startMessagingAuth({ web3: { ethereumEnabled: true } })

    const records = [readUserToImport(body, 'wire')]
    const report = await moved.auth.admin.importUsers(records)

    expect(report).toMatchObject({ imported: 1, refusals: [] })
    expect(statusAndCode(await signInWithWallet(wallet, moved))).toEqual([
      403,
      'email_not_confirmed',
    ])
    await moved.close()
  })

  it('keeps the password of the request that is autoconfirmed', async () => {
    const calling = await anonymous(trusting)
    const email = newEmail()
    await trusting.put('/user', { email, password: testPassword }, { token: calling.token })

    const { status } = await trusting.post('/token?grant_type=password', {
      email,
      password: testPassword,
    })

    expect(status).toBe(200)
  })

  it('does not apply to a second one: a session based on another confirmed address continues', async () => {
    const planted = await withPasskey()
    const proved = sessionIn(await provePhone(planted))
    const { authenticator } = await passkeys.userOf({
      ...(await auth.given.session()),
      accessToken: proved.token,
    })

    const second = await proveEmail(proved)

    expect(second.status).toBe(200)
    expect(await endOf(proved)).toEqual(live)
    expect((await passkeys.signIn(authenticator)).status).toBe(200)
  })

  it('leaves no way to sign in besides a suspended identity', async () => {
    const wallet = makeWallet('ethereum')
    const proved = sessionIn(await proveEmail(sessionIn(await signInWithWallet(wallet))))
    const known = await identities.identitiesOf(proved.token)
    const idOf = (provider: string) =>
      known.find((one) => one.provider === provider)?.identity_id ?? ''

    const unlinked = await identities.unlink(proved.token, idOf('email'))
    const removed = await identities.unlink(proved.token, idOf('web3'))

    expect(statusAndCode(unlinked)).toEqual([422, 'single_identity_not_deletable'])
    expect(removed.status).toBe(200)
  })

  it.each([
    ['email', proveEmail],
    ['phone', provePhone],
  ] as const)(
    'sends a message (%s) that ends the suspension of one passkey',
    async (kind, prove) => {
      const planted = await withPasskey()
      const proved = await prove(planted)
      const address = String(proved.body.user[kind])
      const wallet = makeWallet('ethereum')
      await auth.rows(
        `insert into auth.identities
        (id, user_id, provider, subject, identity_data, suspended_at, created_at, updated_at)
       values (gen_random_uuid(), $1, 'web3', $2, '{}', $3, $3, $3)`,
        [planted.id, `web3:ethereum:${wallet.address.toLowerCase()}`, auth.clock.now()],
      )
      auth.clock.advance(120)
      const refused = await passkeys.signIn(planted.authenticator)
      const message = await auth.messageTo(address)
      const evidence =
        kind === 'email' ? { token_hash: message.hash } : { phone: address, token: message.code }

      const other = await auth.post('/verify', {
        type: kind === 'email' ? 'magiclink' : 'sms',
        ...evidence,
      })
      const confirmed = await auth.post('/verify', { type: 'credential', ...evidence })
      const again = await auth.post('/verify', { type: 'credential', ...evidence })

      expect(refused.status).toBe(403)
      expect(statusAndCode(other)).toEqual([403, 'otp_expired'])
      expect(confirmed.body).toMatchObject({ type: 'credential', user: { id: planted.id } })
      expect(statusAndCode(again)).toEqual([403, 'otp_expired'])
      expect((await passkeys.signIn(planted.authenticator)).status).toBe(200)
      expect(statusAndCode(await signInWithWallet(wallet))).toEqual([403, `${kind}_not_confirmed`])
    },
  )

  it('ends the suspension of a wallet by its link, but not of a passkey of the same user', async () => {
    const wallet = makeWallet('ethereum')
    const planted = sessionIn(await signInWithWallet(wallet))
    const { authenticator } = await passkeys.userOf({
      ...(await auth.given.session()),
      accessToken: planted.token,
    })
    const email = newEmail()
    await proveEmail(planted, email)
    await signInWithWallet(wallet)
    const message = await auth.messageTo(email)

    const { fragment } = await auth.follow(message)

    expect(message.type).toBe('credential')
    expect(fragment.get('type')).toBe('credential')
    expect((await signInWithWallet(wallet)).status).toBe(200)
    expect(statusAndCode(await passkeys.signIn(authenticator))).toEqual([
      403,
      'email_not_confirmed',
    ])
  })

  it('S151: ends no suspension by a message once the account has a second factor', async () => {
    const planted = await withPasskey()
    const email = newEmail()
    const proved = await proveEmail(planted, email)
    await passkeys.signIn(planted.authenticator)
    const { hash } = await auth.messageTo(email)
    const factors = secondFactors(auth)
    const token = proved.body.access_token
    await factors.prove(token, await factors.enrolledApp(token))
    auth.clock.advance(120)
    const wallet = makeWallet('ethereum')
    await auth.rows(
      `insert into auth.identities
        (id, user_id, provider, subject, identity_data, suspended_at, created_at, updated_at)
       values (gen_random_uuid(), $1, 'web3', $2, '{}', $3, $3, $3)`,
      [planted.id, `web3:ethereum:${wallet.address.toLowerCase()}`, auth.clock.now()],
    )
    expect(statusAndCode(await signInWithWallet(wallet))).toEqual([403, 'sign_in_method_suspended'])
    const rejected = await passkeys.signIn(planted.authenticator)
    const earlier = await auth.post('/verify', { type: 'credential', token_hash: hash })

    expect(statusAndCode(rejected)).toEqual([403, 'sign_in_method_suspended'])
    expect((await auth.messagesTo(email)).filter(({ type }) => type === 'credential')).toHaveLength(
      1,
    )
    expect(statusAndCode(earlier)).toEqual([403, 'otp_expired'])
    expect(statusAndCode(await passkeys.signIn(planted.authenticator))).toEqual([
      403,
      'sign_in_method_suspended',
    ])
  })

  it('shows a button for a link that ends a suspension: a program that opens it confirms nothing', async () => {
    const planted = await withPasskey()
    const email = newEmail()
    await proveEmail(planted, email)
    await passkeys.signIn(planted.authenticator)
    const query = `token=${(await auth.messageTo(email)).hash}&type=credential`
    const link = `/verify?${query}`

    const opened = await auth.get(link)
    const prefetched = await auth.get(link, { headers: { 'sec-purpose': 'prefetch' } })
    const head = await auth.request('HEAD', link)

    expect([opened.status, prefetched.status, head.status]).toEqual([200, 200, 200])
    expect(opened.text).toContain('Confirm sign-in method')
    expect(opened.headers.get('access-control-allow-origin')).toBeNull()
    const [passkey] = await auth.auth.admin.listPasskeys(planted.id)
    expect(passkey?.suspendedAt).toBeTruthy()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const pressed = await auth.post('/verify?', query, { headers, ...ada })
    expect(pressed.status).toBe(303)
    expect((await passkeys.signIn(planted.authenticator)).status).toBe(200)
  })

  it.each(['email', 'magiclink', 'recovery', 'signup', 'invite', 'email_change'])(
    'ends no suspension by a link whose type was changed to %s',
    async (type) => {
      const planted = await withPasskey()
      const email = newEmail()
      await proveEmail(planted, email)
      await passkeys.signIn(planted.authenticator)
      const { hash } = await auth.messageTo(email)

      for (const query of [`type=${type}`, `type=${type}&type=credential`]) {
        await auth.get(`/verify?token=${hash}&${query}`)
      }

      const refused = await passkeys.signIn(planted.authenticator)
      expect(statusAndCode(refused)).toEqual([403, 'email_not_confirmed'])
    },
  )

  it('sends one message per interval, with the same response in between', async () => {
    const limited = await startMessagingAuth({
      passkeys: { enabled: true, signUpEnabled: true },
      email: { autoconfirm: false, maxFrequencySeconds: 60 },
    })
    const own = passkeysOf(limited)
    const authenticator = createAuthenticator()
    const { token } = sessionIn(await own.signUp(authenticator, {}, eve))
    const email = newEmail()
    await limited.put('/user', { email }, { token, ...ada })
    const { hash } = await limited.messageTo(email)
    await limited.post('/verify', { type: 'email_change', token_hash: hash }, ada)
    const sent = async () =>
      (await limited.messagesTo(email)).filter(({ type }) => type === 'credential').length

    const refused = [await own.signIn(authenticator), await own.signIn(authenticator)]

    expect(refused.map(statusAndCode)).toEqual(Array(2).fill([403, 'email_not_confirmed']))
    expect(await sent()).toBe(1)
    limited.clock.advance(61)
    await own.signIn(authenticator)
    expect(await sent()).toBe(2)
    await limited.close()
  })

  it('names the credential in the message, without the links that it may contain', () => {
    const name = (friendly_name: string) => suspendedPasskey({ id: 'id', friendly_name }).label
    expect(
      ['Laptop', 'Passkey', 'https://evil.example/x', 'злой.рф', 'a\nb <i>'].map(name),
    ).toEqual(['Passkey (Laptop)', 'Passkey', 'Passkey', 'Passkey', 'Passkey (a b i)'])
  })

  it('leaves no session of a concurrent passkey sign-in or refresh', async () => {
    for (let round = 0; round < 8; round++) {
      const planted = await withPasskey()
      const email = newEmail()
      await auth.put('/user', { email }, { token: planted.token, ...ada })
      const { hash } = await auth.messageTo(email)
      const requested = await passkeys.ask()
      const credential = planted.authenticator.get(requested.body.options)

      const [proved, entered] = await Promise.all([
        auth.post('/verify', { type: 'email_change', token_hash: hash }, ada),
        passkeys.answer(requested, credential),
        auth.post('/token?grant_type=refresh_token', { refresh_token: planted.refreshToken }),
      ])

      expect(proved.status).toBe(200)
      const own = await auth.rows<{ id: string }>(
        'select id from auth.sessions where user_id = $1',
        [planted.id],
      )
      expect(own).toHaveLength(1)
      expect((await auth.get('/user', { token: proved.body.access_token })).status).toBe(200)
      if (entered.status === 200) expect(await endOf(sessionIn(entered))).toEqual(ended)
    }
  })
})
