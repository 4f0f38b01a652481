import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import {
  clubMember,
  clubSettings,
  type FakeRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { linking } from '../../../test/support/linking.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'
import { eraseAccount } from '../../accounts/lifecycle/erase-account.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { openCall } from '../../service/api/call-options.ts'

let auth: MessagingAuth
let realm: FakeRealm

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    security: { ownDeletionEnabled: true, manualLinkingEnabled: true },
    providers: { club: clubSettings(realm, { emailOptional: true }) },
    passkeys: { enabled: true, signUpEnabled: true },
    phone: { enabled: true },
    anonymousUsers: { enabled: true },
  })
})
afterAll(async () => {
  await auth?.close()
  await realm?.close()
})

let made = 0
const newEmail = () => `first-${++made}@example.test`
const newPhone = () => `49159${String(++made).padStart(8, '0')}`
const outcome = ({ status, body }: Answer) => [status, body.error_code, body.step_up]
const remove = (token: string) => auth.request('DELETE', '/user', { token })

/** Creates a user who has a passkey only. */
async function passkeyUser() {
  const authenticator = createAuthenticator()
  const { body } = await passkeysOf(auth).signUp(authenticator)
  const { access_token: token, refresh_token: first } = body.session ?? body
  let refreshToken = first
  const old = async (seconds = 601) => {
    auth.clock.advance(seconds)
    const sent = { refresh_token: refreshToken }
    const refreshed = await auth.post('/token?grant_type=refresh_token', sent)
    refreshToken = refreshed.body.refresh_token
    return String(refreshed.body.access_token)
  }
  return { token: String(token), old, authenticator }
}

describe('S128: the first password or address of a user whom only a sign-in proves', () => {
  const changes = () => [{ password: testPassword }, { email: newEmail() }, { phone: newPhone() }]

  it('requires a recent sign-in, since a stolen session would own the account', async () => {
    const { old } = await passkeyUser()
    const token = await old()

    const answers: Answer[] = []
    for (const change of changes()) answers.push(await auth.put('/user', change, { token }))
    const removal = await remove(token)

    expect([...answers, removal].map(outcome)).toEqual(
      Array(4).fill([403, 'reauthentication_needed', 'sign_in']),
    )
  })

  it.each([0, 1, 2])('is set in a recent session: %i', async (which) => {
    const { token } = await passkeyUser()

    expect((await auth.put('/user', changes()[which], { token })).status).toBe(200)
  })

  it('is that of a linked provider, too, which is not linked in an old session', async () => {
    const { old } = await passkeyUser()
    const email = newEmail()
    const member = clubMember(email, [{ address: email, isVerified: true }], { name: 'Ada' })
    const identities = linking(auth, realm)

    const state = await identities.startLinking(await old(500), { provider: 'club' })
    const token = await old(101)
    const start = await auth.get('/user/identities/authorize?provider=club', { token })
    const { query, fragment } = await identities.sendCallback(state, member)

    expect(outcome(start)).toEqual([403, 'reauthentication_needed', 'sign_in'])
    expect(query['error_code'] ?? fragment['error_code']).toBe('reauthentication_needed')
    expect(await auth.auth.admin.findUser({ email })).toBeNull()
  })

  it('is that of a provider that is linked in a recent session', async () => {
    const { token } = await passkeyUser()
    const email = newEmail()
    const member = clubMember(email, [{ address: email, isVerified: true }], { name: 'Ada' })
    await linking(auth, realm).link(token, member, { provider: 'club' })

    expect(await auth.auth.admin.findUser({ email })).not.toBeNull()
  })

  it('includes an address that an operator stored unconfirmed', async () => {
    const { token, old } = await passkeyUser()
    const { id } = (await auth.get('/user', { token })).body
    await auth.auth.admin.updateUser(id, { email: newEmail() })
    const path = '/user/identities/authorize?provider=club'
    const start = await auth.get(path, { token: await old() })

    expect(outcome(start)).toEqual([403, 'reauthentication_needed', 'sign_in'])
  })

  it('requires it for a passkey, too, whose sign-in would be recent', async () => {
    const { token, old, authenticator } = await passkeyUser()
    const added = await passkeysOf(auth).register(token, createAuthenticator())
    const stolen = await old()
    const start = await passkeysOf(auth).begin(stolen)
    const { body } = await passkeysOf(auth).signIn(authenticator)
    const again = await passkeysOf(auth).register(body.access_token, createAuthenticator())

    expect([added.status, again.status]).toEqual([200, 200])
    expect(outcome(start)).toEqual([403, 'reauthentication_needed', 'sign_in'])
  })

  it('requires it at the end of the registration of a passkey', async () => {
    const { old } = await passkeyUser()
    const passkeys = passkeysOf(auth)
    const begun = await passkeys.begin(await old(500))
    const credential = createAuthenticator().create(begun.body.options)
    const end = await passkeys.finish(await old(101), begun, credential)

    expect(outcome(end)).toEqual([403, 'reauthentication_needed', 'sign_in'])
  })

  it('spends no limit, so that it can be repeated after the sign-in', async () => {
    const { old, authenticator } = await passkeyUser()
    const change = { email: newEmail() }
    const refused = await auth.put('/user', change, { token: await old() })
    const { body } = await passkeysOf(auth).signIn(authenticator)
    const repeated = await auth.put('/user', change, { token: body.access_token })

    expect([refused.status, repeated.status]).toEqual([403, 200])
  })

  it('requires it of an anonymous user who can sign in by an identity', async () => {
    const anonymous = await auth.post('/signup', {})
    const address = newEmail()
    const member = clubMember(address, [{ address, isVerified: false }], { name: 'Ada' })
    const identities = linking(auth, realm)
    await identities.link(anonymous.body.access_token, member, { provider: 'club' })
    const fresh = await auth.get('/user', { token: anonymous.body.access_token })
    auth.clock.advance(601)
    const { refresh_token } = anonymous.body
    const refreshed = await auth.post('/token?grant_type=refresh_token', { refresh_token })
    const token = refreshed.body.access_token

    const answers = [
      await auth.put('/user', { password: testPassword }, { token }),
      await auth.put('/user', { email: newEmail() }, { token }),
      await remove(token),
    ]

    expect([fresh.body.is_anonymous, fresh.body.identities.length]).toEqual([true, 1])
    expect(answers.map(outcome)).toEqual(Array(3).fill([403, 'reauthentication_needed', 'sign_in']))
  })

  it('is set by an anonymous user of an old session after the sign-in at a provider', async () => {
    const anonymous = await auth.post('/signup', {})
    auth.clock.advance(601)
    const member = clubMember(newEmail(), [], { name: 'Ada' })
    const token = anonymous.body.access_token
    const { fragment } = await linking(auth, realm).link(token, member, { provider: 'club' })

    const changed = await auth.put(
      '/user',
      { email: newEmail() },
      { token: fragment['access_token'] },
    )

    expect(changed.status).toBe(200)
  })

  it('is no condition of other changes, nor of anonymous users', async () => {
    const { old } = await passkeyUser()
    const token = await old()
    const anonymous = await auth.post('/signup', {})
    auth.clock.advance(601)

    const answers = [
      await auth.put('/user', { data: { name: 'Ada' } }, { token }),
      await auth.put('/user', { email: newEmail() }, { token: anonymous.body.access_token }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })
})

it('S128: a first factor requires it, whatever the settings: the owner would be locked out', async () => {
  const lenient = await startMessagingAuth({
    security: { recentProofSeconds: 0 },
    passkeys: { enabled: true, signUpEnabled: true },
  })
  const { body } = await passkeysOf(lenient).signUp(createAuthenticator())
  const token = body.access_token
  const factors = secondFactors(lenient)
  const app = await factors.enrolledApp(token)
  lenient.clock.advance(601)
  const answers = [await factors.enroll(token), await factors.prove(token, app)]
  await lenient.close()

  expect(answers.map(outcome)).toEqual(Array(2).fill([403, 'reauthentication_needed', 'sign_in']))
})

describe.each(['requireReauthentication', 'requireCurrentPassword'])(
  'S132: in an old session, where %s protects the password',
  (setting) => {
    const strictAuth = (config: AuthConfig = {}) =>
      startMessagingAuth({
        security: { manualLinkingEnabled: true, passwordUpdate: { [setting]: true } },
        providers: { club: clubSettings(realm, { emailOptional: true }) },
        passkeys: { enabled: true },
        phone: { enabled: true },
        usernames: { enabled: true, changeEnabled: true },
        ...config,
      })

    it('no identity or passkey is added or removed', async () => {
      const strict = await strictAuth()
      const { accessToken: token } = await strict.given.session(newEmail())
      const member = () => clubMember(newEmail(), [], { name: 'Ada' })
      const identities = linking(strict, realm)
      const linked = await identities.link(token, member(), { provider: 'club' })
      const [{ identity_id } = { identity_id: '' }] = await identities.identitiesOf(token)
      const passkey = await passkeysOf(strict).register(token, createAuthenticator())
      strict.clock.advance(601)
      const path = '/user/identities/authorize?provider=club'
      const answers = [
        await strict.get(path, { token }),
        await passkeysOf(strict).begin(token),
        await identities.unlink(token, identity_id),
        await strict.request('DELETE', `/passkeys/${passkey.body.id}`, { token }),
      ]
      await strict.close()

      expect(linked.fragment['access_token']).toBeDefined()
      expect(answers.map(outcome)).toEqual(
        Array(4).fill([403, 'reauthentication_needed', 'sign_in']),
      )
    })

    it('no factor or recovery code is removed or replaced, whatever the age of other proofs', async () => {
      const strict = await strictAuth({
        security: { recentProofSeconds: 3600, passwordUpdate: { [setting]: true } },
      })
      const factors = secondFactors(strict)
      const { accessToken: token, app } = await factors.recoverableSession()
      strict.clock.advance(601)
      const answers = [
        await factors.unenroll(token, app.id),
        await strict.post('/factors/recovery-codes/regenerate', {}, { token }),
        await strict.request('DELETE', '/factors/recovery-codes', { token }),
      ]
      await strict.close()

      expect(answers.map(outcome)).toEqual(
        Array(3).fill([403, 'reauthentication_needed', 'verify']),
      )
    })

    it('no address or user name changes by the session alone', async () => {
      const strict = await strictAuth({ email: { secureChangeEnabled: false } })
      const { accessToken: token } = await strict.given.session(newEmail())
      const changes = [{ phone: newPhone() }, { email: newEmail() }, { username: 'mallory' }]
      strict.clock.advance(601)
      const old: Answer[] = []
      for (const change of changes) old.push(await strict.put('/user', change, { token }))
      const metadata = await strict.put('/user', { data: { name: 'Ada' } }, { token })
      const recent: number[] = []
      for (const change of changes) {
        const { accessToken } = await strict.given.session(newEmail())
        recent.push((await strict.put('/user', change, { token: accessToken })).status)
      }
      await strict.close()

      expect(old.map(outcome)).toEqual(Array(3).fill([403, 'reauthentication_needed', 'sign_in']))
      expect([metadata.status, ...recent]).toEqual([200, 200, 200, 200])
    })

    it('an email changes that the current address has to confirm', async () => {
      const strict = await strictAuth()
      const { accessToken: token } = await strict.given.session(newEmail())
      strict.clock.advance(601)
      const changed = await strict.put('/user', { email: newEmail() }, { token })
      await strict.close()

      expect(changed.status).toBe(200)
    })
  },
)

it('S132: a first password is set by a recent sign-in, where the current one is required', async () => {
  const strict = await startMessagingAuth({
    security: { passwordUpdate: { requireCurrentPassword: true } },
  })
  const email = newEmail()
  await strict.post('/otp', { email })
  const { code } = await strict.messageTo(email)
  const { body } = await strict.post('/verify', { type: 'email', email, token: code })
  const change = () => strict.put('/user', { password: testPassword }, { token: body.access_token })
  strict.clock.advance(601)
  const old = await change()
  strict.clock.advance(-601)
  const recent = await change()
  await strict.close()

  expect([old, recent].map(outcome)).toEqual([
    [403, 'reauthentication_needed', 'sign_in'],
    [200, undefined, undefined],
  ])
})

it('S132: a recent sign-in replaces the nonce of a user without an address', async () => {
  const strict = await startMessagingAuth({
    security: { passwordUpdate: { requireReauthentication: true } },
    passkeys: { enabled: true, signUpEnabled: true },
    usernames: { enabled: true },
  })
  const { body } = await passkeysOf(strict).signUp(createAuthenticator())
  const token = body.access_token
  const named = { username: `ada${++made}`, password: testPassword }
  const recent = await strict.put('/user', named, { token })
  const [passkey] = (await strict.get('/passkeys', { token })).body
  const removed = await strict.request('DELETE', `/passkeys/${passkey.id}`, { token })
  strict.clock.advance(601)
  const old = await strict.put('/user', { password: `another ${testPassword}` }, { token })
  await strict.close()

  // The user name and the password are another way in than the passkey.
  expect([recent.status, removed.status]).toEqual([200, 204])
  expect(outcome(old)).toEqual([403, 'reauthentication_needed', 'sign_in'])
})

it.each(['requireReauthentication', 'requireCurrentPassword'])(
  'a guest of an old session signs up without a proof, with %s',
  async (setting) => {
    const strict = await startMessagingAuth({
      security: { passwordUpdate: { [setting]: true } },
      anonymousUsers: { enabled: true },
    })
    const { body } = await strict.post('/signup', {})
    strict.clock.advance(601)
    const account = { email: newEmail(), password: testPassword }
    const answer = await strict.put('/user', account, { token: body.access_token })
    await strict.close()

    expect(answer.status).toBe(200)
  },
)

describe('S133: an account with a password and without a confirmed address', () => {
  /** Creates a user with a name, a password and a passkey. */
  async function namedUser() {
    const username = `ada${++made}`
    const { body } = await passkeysOf(named).signUp(createAuthenticator())
    const token = String(body.access_token)
    const changed = await named.put('/user', { username, password: testPassword }, { token })
    const [passkey] = (await named.get('/passkeys', { token })).body
    expect(changed.status).toBe(200)
    return { token, passkeyId: String(passkey.id) }
  }
  let named: MessagingAuth
  beforeAll(async () => {
    named = await startMessagingAuth({
      security: { manualLinkingEnabled: true },
      providers: { club: clubSettings(realm, { emailOptional: true }) },
      passkeys: { enabled: true, signUpEnabled: true },
      phone: { enabled: true },
      usernames: { enabled: true, changeEnabled: true },
    })
  })
  afterAll(() => named?.close())

  it('changes by a recent sign-in: the first address suspends all that was added before', async () => {
    const { token, passkeyId } = await namedUser()
    named.clock.advance(601)
    const answers = [
      await named.put('/user', { email: newEmail() }, { token }),
      await named.put('/user', { phone: newPhone() }, { token }),
      await named.put('/user', { username: 'mallory' }, { token }),
      await named.put('/user', { password: `another ${testPassword}` }, { token }),
      await named.get('/user/identities/authorize?provider=club', { token }),
      await passkeysOf(named).begin(token),
      await secondFactors(named).enroll(token),
      await named.request('DELETE', `/passkeys/${passkeyId}`, { token }),
    ]

    expect(answers.map(outcome)).toEqual(Array(8).fill([403, 'reauthentication_needed', 'sign_in']))
  })

  it('gets it in a recent session', async () => {
    const { token } = await namedUser()

    expect((await named.put('/user', { email: newEmail() }, { token })).status).toBe(200)
  })
})

it('the last passkey stays where the only address is not confirmed', async () => {
  const { token } = await passkeyUser()
  const { body: user } = await auth.get('/user', { token })
  await auth.auth.admin.updateUser(user.id, { email: newEmail() })
  const [passkey] = (await auth.get('/passkeys', { token })).body
  const removed = await auth.request('DELETE', `/passkeys/${passkey.id}`, { token })

  expect(outcome(removed)).toEqual([422, 'single_identity_not_deletable', undefined])
})

it('an anonymous user with an address that an operator stored needs no proof', async () => {
  const { body } = await auth.post('/signup', {})
  const token = body.access_token
  await auth.auth.admin.updateUser(body.user.id, { email: newEmail() })
  auth.clock.advance(601)

  expect((await auth.put('/user', { email: newEmail() }, { token })).status).toBe(200)
  expect((await remove(token)).status).toBe(200)
})

it('the deletion by an anonymous user requires the proofs that the account has meanwhile', async () => {
  const { body } = await auth.post('/signup', {})
  const id = body.user.id
  // As by a confirmation in the same session.
  const upgrade = () =>
    auth.rows(
      `update auth.users set email = $2, email_confirmed_at = now(), is_anonymous = false,
         version = version + 1 where id = $1`,
      [id, newEmail()],
    )
  const { sql } = (await auth.deps()).database
  const query = sql.query
  let reads = 0
  const spy = vi.spyOn(sql, 'query').mockImplementation(async (one, values) => {
    if (one.name === 'find_caller') reads += 1
    if (reads === 2) {
      spy.mockRestore()
      await upgrade()
    }
    return query(one, values) as never
  })

  const answer = await remove(body.access_token)

  expect(reads).toBe(2)
  expect(outcome(answer)).toEqual([400, 'reauthentication_needed', undefined])
})

it('a deletion by a recent sign-in requires the account that was checked', async () => {
  const { user } = await auth.given.session(newEmail())
  const ctx = openCall(await auth.deps())
  const caller = { sessionId: null, now: ctx.clock.now() }

  expect(await eraseAccount(ctx, user.id, { caller, proof: { version: 999 } })).toBe(false)
  expect(await auth.auth.admin.findUser({ id: user.id })).not.toBeNull()
})

it('a nonce is sent to a confirmed phone beside an email that an operator stored', async () => {
  const phone = newPhone()
  const account = { phone, phoneConfirm: true, email: newEmail(), password: testPassword }
  await auth.auth.admin.createUser(account)
  const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
  const token = session.accessToken

  const sent = await auth.get('/reauthenticate', { token })
  const { code } = await auth.messageTo(phone)
  const deleted = await auth.request('DELETE', '/user', { token, body: { nonce: code } })

  expect([sent.status, deleted.status]).toEqual([200, 200])
})
