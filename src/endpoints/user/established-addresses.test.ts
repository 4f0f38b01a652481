import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

// S132: a thief whose stolen session is younger than ten minutes may add an address.

let realm: FakeRealm
let auth: MessagingAuth
let byNonce: MessagingAuth

beforeAll(async () => {
  realm = await startFakeRealm()
  const start = (passwordUpdate: object) =>
    startMessagingAuth({
      phone: { enabled: true },
      anonymousUsers: { enabled: true },
      usernames: { enabled: true, changeEnabled: true },
      passkeys: { enabled: true, signUpEnabled: true },
      providers: { club: clubSettings(realm, { emailOptional: true }) },
      security: { manualLinkingEnabled: true, passwordUpdate },
    })
  auth = await start({ requireCurrentPassword: true })
  byNonce = await start({ requireReauthentication: true })
})
afterAll(async () => {
  await auth?.close()
  await byNonce?.close()
  await realm?.close()
})

const day = 24 * 60 * 60
let made = 0
const newEmail = () => `established-${++made}@example.test`
const newPhone = () => `49158${String(++made).padStart(8, '0')}`
const outcome = ({ status, body }: Answer) => [status, body.error_code]
const rejected = [422, 'address_too_new']
const accepted = [200, undefined]

const confirmed = { emailConfirm: true, phoneConfirm: true, password: testPassword }

type Address = { email: string } | { phone: string }

/** Submits a code whose sign-in sets no password; returns the token of the session that it opens. */
async function enterWithPassword(submitted: object, on = auth): Promise<string> {
  const rejection = await on.post('/verify', { ...submitted, password: 'a new horse' })
  expect(outcome(rejection)).toEqual([422, 'validation_failed'])
  expect(rejection.body.msg).toMatch(/^password: /)
  const opened = await on.post('/verify', submitted)
  expect(outcome(opened)).toEqual(accepted)
  return String(opened.body.access_token)
}

/** Creates a user two days ago; returns the token of a session of now. */
async function ownerOf(addresses: { email?: string; phone?: string }, on = auth) {
  await on.auth.admin.createUser({ ...addresses, ...confirmed })
  on.clock.advance(2 * day)
  return signIn(addresses, on)
}
async function signIn({ email, phone }: { email?: string; phone?: string }, on = auth) {
  const name = email === undefined ? { phone } : { email }
  const answer = await on.post('/token?grant_type=password', { ...name, password: testPassword })
  return String(answer.body.access_token)
}
async function byCode(address: Address, type = 'email' in address ? 'email' : 'sms', on = auth) {
  if (type !== 'recovery') await on.post('/otp', address)
  else await on.post('/recover', address)
  const { code } = await on.messageTo('email' in address ? address.email : address.phone)
  return String((await on.post('/verify', { type, ...address, token: code })).body.access_token)
}
async function addPhone(token: string) {
  const phone = newPhone()
  await auth.put('/user', { phone }, { token })
  const { code } = await auth.messageTo(phone)
  const { body } = await auth.post('/verify', { type: 'phone_change', phone, token: code })
  return { phone, token: String(body.access_token) }
}
async function unlinkEmail(token: string) {
  const { identitiesOf, unlink } = linking(auth, realm)
  const own = (await identitiesOf(token)).find(({ provider }) => provider === 'email')
  expect((await unlink(token, own?.identity_id ?? '')).status).toBe(200)
}
const linkClub = (token: string, address: string) =>
  linking(auth, realm).link(token, clubMember(`club-${++made}`, [{ address, isVerified: true }]), {
    provider: 'club',
  })
const change = (token: string) => auth.put('/user', { password: 'a new horse' }, { token })

describe('S132: a code does not replace the current password, sent to', () => {
  it('a phone that was just added', async () => {
    const added = await addPhone(await ownerOf({ email: newEmail() }))
    const first = await change(added.token)
    auth.clock.advance(day - 100)
    const second = await change(await byCode({ phone: added.phone }))

    expect([first, second].map(outcome)).toEqual([rejected, rejected])
  })

  it('a phone that was just added, at an instance whose clock is ahead', async () => {
    const added = await addPhone(await ownerOf({ email: newEmail() }))
    auth.clock.advance(-10)
    const answer = await change(added.token)
    auth.clock.advance(10)

    expect(outcome(answer)).toEqual(rejected)
  })

  it('a phone that was just replaced, until a day later', async () => {
    const email = newEmail()
    await addPhone(await ownerOf({ email }))
    auth.clock.advance(day + 1)
    const replaced = await addPhone(await signIn({ email }))
    const first = await change(replaced.token)
    auth.clock.advance(day + 1)
    const later = await change(await byCode({ phone: replaced.phone }))

    expect([first, later].map(outcome)).toEqual([rejected, accepted])
  })

  it('a phone that was added and removed again', async () => {
    const { token } = await addPhone(await ownerOf({ email: newEmail() }))
    const { identitiesOf, unlink } = linking(auth, realm)
    const added = (await identitiesOf(token)).find(({ provider }) => provider === 'phone')
    expect((await unlink(token, added?.identity_id ?? '')).status).toBe(200)

    expect(outcome(await change(token))).toEqual(rejected)
  })

  it('the email of a provider that states another one since', async () => {
    const email = newEmail()
    const token = await ownerOf({ phone: newPhone() })
    await linkClub(token, email)
    await auth.rows(
      `update auth.identities set identity_data = '{"email": "other@example.test"}', updated_at = $2
       where identity_data ->> 'email' = $1`,
      [email, auth.clock.now().toISOString()],
    )

    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual(rejected)
  })

  it('the email of a provider that was just linked to an account with a phone', async () => {
    const email = newEmail()
    await linkClub(await ownerOf({ phone: newPhone() }), email)

    expect(outcome(await change(await byCode({ email })))).toEqual(rejected)
  })

  it('the email of a provider that was just linked, where the former email was removed', async () => {
    const email = newEmail()
    const token = await ownerOf({ email: newEmail(), phone: newPhone() })
    await linkClub(token, email)
    await unlinkEmail(token)

    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual(rejected)
  })
})

it('S144: the code of a later address sets no first password, which has rules of its own', async () => {
  for (const on of [auth, byNonce]) {
    const email = newEmail()
    await on.auth.admin.createUser({ email, emailConfirm: true })
    on.clock.advance(2 * day)
    const token = await byCode({ email }, 'magiclink', on)
    const [phone, password] = [newPhone(), 'a new horse']
    await on.put('/user', { phone }, { token })
    const { code } = await on.messageTo(phone)
    await enterWithPassword({ type: 'phone_change', phone, token: code }, on)
    await on.post('/recover', { email })
    const mailed = await on.messageTo(email)
    await enterWithPassword({ type: 'recovery', email, token: mailed.code }, on)

    for (const name of [{ email }, { phone }])
      expect((await on.post('/token?grant_type=password', { ...name, password })).status).toBe(400)
  }
})

it('S132: the last confirmed address cannot be removed, after which any other would be the first', async () => {
  for (const on of [auth, byNonce]) {
    const token = await ownerOf({ email: newEmail(), phone: newPhone() }, on)
    const { identitiesOf, link, unlink } = linking(on, realm)
    await link(token, clubMember(`club-${++made}`, []), { provider: 'club' })
    const addresses = (await identitiesOf(token)).filter(({ provider }) => provider !== 'club')
    const answers = []
    for (const { identity_id } of addresses) answers.push(await unlink(token, identity_id ?? ''))

    expect(answers.map(outcome)).toEqual([
      [200, undefined],
      [422, 'single_identity_not_deletable'],
    ])
  }
})

describe('S132: the address of the owner cannot be removed, beside', () => {
  const kept = [422, 'single_identity_not_deletable']
  const remove = async (token: string, kind: 'email' | 'phone', on = auth) => {
    const { identitiesOf, unlink } = linking(on, realm)
    const own = (await identitiesOf(token)).find(({ provider }) => provider === kind)
    return outcome(await unlink(token, own?.identity_id ?? ''))
  }

  it('a phone that was just added, until a day later', async () => {
    const email = newEmail()
    const added = await addPhone(await ownerOf({ email }))
    expect(await remove(added.token, 'email')).toEqual(kept)

    auth.clock.advance(day + 1)
    expect((await remove(await signIn({ email }), 'email'))[0]).toBe(200)
  })

  it('a phone that was just added, after an operator has corrected the email', async () => {
    const email = newEmail()
    const token = await ownerOf({ email: newEmail() })
    const { id } = await auth.auth.api.getUser({ accessToken: token })
    await auth.auth.admin.updateUser(id, { email, emailConfirm: true })
    auth.clock.advance(600)
    const added = await addPhone(await signIn({ email }))

    expect(await remove(added.token, 'email')).toEqual(kept)
    expect((await remove(added.token, 'phone'))[0]).toBe(200)
  })

  it('an email that an operator restored, after a phone was added', async () => {
    const email = newEmail()
    const added = await addPhone(await ownerOf({ email: newEmail() }))
    const { id } = await auth.auth.api.getUser({ accessToken: added.token })
    auth.clock.advance(3600)
    const restored = { email, emailConfirm: true, password: testPassword }
    await auth.auth.admin.updateUser(id, restored)

    expect(await remove(await byCode({ phone: added.phone }), 'email')).toEqual(kept)
    expect((await remove(await signIn({ email }), 'phone'))[0]).toBe(200)
  })

  it('a phone that was just added, where the operator used an instance whose clock is ahead', async () => {
    const email = newEmail()
    const token = await ownerOf({ email: newEmail() })
    const { id } = await auth.auth.api.getUser({ accessToken: token })
    auth.clock.advance(200)
    await auth.auth.admin.updateUser(id, { email, emailConfirm: true })
    auth.clock.advance(-190)
    const added = await addPhone(await signIn({ email }))
    auth.clock.advance(190)

    expect(await remove(added.token, 'email')).toEqual(kept)
  })

  it('an email that was just added to an account without a password', async () => {
    const [phone, email] = [newPhone(), newEmail()]
    await byNonce.auth.admin.createUser({ phone, phoneConfirm: true })
    byNonce.clock.advance(2 * day)
    const token = await byCode({ phone }, 'sms', byNonce)
    await byNonce.put('/user', { email }, { token })
    const { code } = await byNonce.messageTo(email)
    await byNonce.post('/verify', { type: 'email_change', email, token: code })

    expect(await remove(token, 'phone', byNonce)).toEqual(kept)
  })

  it('the identity of a provider, whose address has confirmed a change that waits for the other', async () => {
    const token = await ownerOf({ email: newEmail() }, byNonce)
    const email = newEmail()
    await byNonce.put('/user', { email }, { token })
    const { code } = await byNonce.messageTo(email)
    await byNonce.post('/verify', { type: 'email_change', email, token: code })
    const member = clubMember(`club-${++made}`, [{ address: email, isVerified: true }])
    await linking(byNonce, realm).link(token, member, { provider: 'club' })

    expect(await remove(token, 'email', byNonce)).toEqual(kept)
  })
})

it('S132: the first address of an account with a user name, which ends its password, permits no new one', async () => {
  for (const [on, answer] of [
    [auth, [422, 'address_too_new']],
    [byNonce, [400, 'reauthentication_needed']],
  ] as const) {
    const { body } = await passkeysOf(on).signUp(createAuthenticator())
    const name = { username: `owner.${++made}`, password: testPassword }
    await on.put('/user', name, { token: body.access_token })
    const email = newEmail()
    await on.put('/user', { email }, { token: body.access_token })
    const { code } = await on.messageTo(email)
    const token = await enterWithPassword({ type: 'email_change', email, token: code }, on)

    const signedIn = await on.post('/token?grant_type=password', { email, password: 'a new horse' })
    expect(outcome(signedIn)).toEqual([400, 'invalid_credentials'])
    expect(outcome(await on.put('/user', { password: 'a new horse' }, { token }))).toEqual(answer)
    expect(outcome(await on.get('/reauthenticate', { token }))).toEqual([422, 'address_too_new'])
  }
})

it('S132: the first confirmed address of an account whose password waits for an unconfirmed one permits no new one', async () => {
  const { body } = await passkeysOf(auth).signUp(createAuthenticator())
  const token = String(body.access_token)
  await auth.auth.admin.updateUser(body.user.id, { email: newEmail() })
  expect((await auth.put('/user', { password: testPassword }, { token })).status).toBe(200)
  const phone = newPhone()
  await auth.put('/user', { phone }, { token })
  const { code } = await auth.messageTo(phone)
  const opened = await enterWithPassword({ type: 'phone_change', phone, token: code })

  const signedIn = await auth.post('/token?grant_type=password', {
    phone,
    password: 'a new horse',
  })
  expect(outcome(signedIn)).toEqual([400, 'invalid_credentials'])
  expect(outcome(await change(opened))).toEqual(rejected)
})

it('the first address of an account with a user name and no password permits a first one', async () => {
  const { body } = await passkeysOf(auth).signUp(createAuthenticator())
  await auth.put('/user', { username: `owner.${++made}` }, { token: body.access_token })
  const email = newEmail()
  await auth.put('/user', { email }, { token: body.access_token })
  const { code } = await auth.messageTo(email)
  const opened = await auth.post('/verify', { type: 'email_change', email, token: code })

  expect(outcome(await change(String(opened.body.access_token)))).toEqual(accepted)
})

it('S132: a code to an address does not count for the one by which an operator replaces it', async () => {
  const added = await addPhone(await ownerOf({ email: newEmail() }))
  const { id } = await auth.auth.api.getUser({ accessToken: added.token })
  await auth.auth.admin.updateUser(id, { phone: newPhone(), phoneConfirm: true })

  expect(outcome(await change(added.token))).toEqual(rejected)
})

describe('a code replaces the current password, sent to', () => {
  it('the mailbox, beside a phone that was just added', async () => {
    const email = newEmail()
    await addPhone(await ownerOf({ email }))

    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual(accepted)
  })

  it('an address of an account that was created today, but for one that was just added', async () => {
    const email = newEmail()
    const { user } = await auth.given.session()
    const { phone } = await addPhone(await signIn({ email: user.email ?? '' }))
    await auth.auth.admin.createUser({ email, phone: newPhone(), ...confirmed })

    const own = { email: user.email ?? '' }
    expect(outcome(await change(await byCode({ phone })))).toEqual(rejected)
    expect(outcome(await change(await byCode(own, 'recovery')))).toEqual(accepted)
    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual(accepted)
  })

  it.each(['email', 'phone'] as const)(
    'the %s of a user whom an operator creates in place of a sign-up of others',
    async (kind) => {
      const [email, phone] = [newEmail(), newPhone()]
      const signedUp = await auth.post('/signup', { email, password: testPassword })
      expect(outcome(signedUp)).toEqual(accepted)
      await auth.auth.admin.createUser({ email, phone, ...confirmed })

      const code = kind === 'email' ? await byCode({ email }, 'recovery') : await byCode({ phone })
      expect(outcome(await change(code))).toEqual(accepted)
    },
  )

  it('the first address of an anonymous user', async () => {
    const email = newEmail()
    const anonymous = await auth.post('/signup', {})
    auth.clock.advance(2 * day)
    const refreshed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: anonymous.body.refresh_token,
    })
    const token = String(refreshed.body.access_token)
    await auth.put('/user', { email }, { token })
    const { code } = await auth.messageTo(email)
    await auth.post('/verify', { type: 'email_change', email, token: code })

    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual(accepted)
    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual([
      422,
      'same_password',
    ])
  })

  it('an address that was first confirmed days after the sign-up', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword })
    auth.clock.advance(2 * day)
    await auth.post('/resend', { type: 'signup', email })
    const { code } = await auth.messageTo(email)
    await auth.post('/verify', { type: 'signup', email, token: code })

    expect(outcome(await change(await byCode({ email }, 'recovery')))).toEqual(accepted)
  })
})

it('S132: the nonce of an account with a phone is not sent to an email that was just added', async () => {
  const [phone, email] = [newPhone(), newEmail()]
  const token = await ownerOf({ phone }, byNonce)
  await byNonce.put('/user', { email }, { token })
  const { code } = await byNonce.messageTo(email)
  await byNonce.post('/verify', { type: 'email_change', email, token: code })
  const reauthenticate = () => byNonce.get('/reauthenticate', { token })
  expect((await reauthenticate()).status).toBe(200)
  const sent = await byNonce.messageTo(phone)
  const answer = await byNonce.put(
    '/user',
    { password: 'a new horse', nonce: sent.code },
    { token },
  )

  expect(answer.status).toBe(200)
})

describe('S132: no nonce is sent to the only address where that was just added or replaced', () => {
  const rejectedNonce = [422, 'address_too_new']
  const reauthenticate = (token: string) => byNonce.get('/reauthenticate', { token })

  it('by a phone, of which no other one has to confirm the change', async () => {
    const token = await ownerOf({ phone: newPhone() }, byNonce)
    const phone = newPhone()
    await byNonce.put('/user', { phone }, { token })
    const { code } = await byNonce.messageTo(phone)
    await byNonce.post('/verify', { type: 'phone_change', phone, token: code })
    const sent = await byNonce.messagesTo(phone)

    expect(outcome(await reauthenticate(token))).toEqual(rejectedNonce)
    expect(await byNonce.messagesTo(phone)).toHaveLength(sent.length)
    byNonce.clock.advance(day + 1)
    expect((await reauthenticate(await signIn({ phone }, byNonce))).status).toBe(200)
  })
})

it.each([
  ['an anonymous user who sets email and password at once', upgraded],
  ['an unconfirmed sign-up whose address an operator corrected', corrected],
])('a nonce is sent to the first address of %s', async (_, tokenOf) => {
  expect((await byNonce.get('/reauthenticate', { token: await tokenOf() })).status).toBe(200)
})

async function upgraded(): Promise<string> {
  const email = newEmail()
  const { body } = await byNonce.post('/signup', {})
  const token = String(body.access_token)
  await byNonce.put('/user', { email, password: testPassword }, { token })
  const { code } = await byNonce.messageTo(email)
  const answer = await byNonce.post('/verify', { type: 'email_change', email, token: code })
  return String(answer.body.access_token)
}

async function corrected(): Promise<string> {
  const [wrong, email] = [newEmail(), newEmail()]
  await byNonce.post('/signup', { email: wrong, password: testPassword })
  const user = await byNonce.auth.admin.findUser({ email: wrong })
  await byNonce.auth.admin.updateUser(user?.id ?? '', { email })
  return byCode({ email }, 'email', byNonce)
}

it.each(['the former one', 'the new one'])(
  'a nonce is sent to an email that the former one confirmed; %s first',
  async (first) => {
    const [former, email] = [newEmail(), newEmail()]
    const token = await ownerOf({ email: former }, byNonce)
    await byNonce.put('/user', { email }, { token })
    const addresses = first === 'the former one' ? [former, email] : [email, former]
    for (const address of addresses) {
      const { code } = await byNonce.messageTo(address)
      await byNonce.post('/verify', { type: 'email_change', email: address, token: code })
    }
    const session = await signIn({ email }, byNonce)

    expect((await byNonce.get('/reauthenticate', { token: session })).status).toBe(200)
  },
)
