import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeRealm,
  type RealmPerson,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type Linking, linking, newPerson } from '../../../test/support/linking.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { secondFactors, statusAndCode } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let realm: FakeRealm
let auth: MessagingAuth
let identities: Linking

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    security: { manualLinkingEnabled: true },
    providers: { keycloak: { ...realmSettings(realm), keepTokens: true } },
    email: {
      autoconfirm: false,
      maxFrequencySeconds: 0,
      notifications: { identityUnlinked: true },
    },
  })
  identities = linking(auth, realm)
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})

/** Creates a user with a password and an identity at the realm. */
async function linkedSession(person: RealmPerson = newPerson()) {
  const { user, accessToken: token } = await auth.given.session()
  await identities.link(token, person)
  const [own, linked] = await identities.identitiesOf(token)
  return {
    id: user.id,
    email: user.email ?? '',
    token,
    person,
    own: own?.identity_id ?? '',
    linked: linked?.identity_id ?? '',
  }
}

const userOf = async (token: string) => (await auth.get('/user', { token })).body

describe('an unlinked identity', () => {
  it('is deleted, with a mail to the user, and sessions stay', async () => {
    const { id, email, token, linked, person } = await linkedSession()
    const before = await auth.auth.api.listSessions({ accessToken: token })
    const answer = await identities.unlink(token, linked)

    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(await userOf(token)).toMatchObject({
      email,
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email' }],
    })
    expect(await auth.auth.api.listSessions({ accessToken: token })).toEqual(before)
    expect((await auth.messageTo(email)).type).toBe('identity_unlinked_notification')
    const [entry] = await auth.rows<{ traits: object }>(
      'select traits from auth.audit_entries where actor_id = $1 and action = 15',
      [id],
    )
    expect(entry?.traits).toEqual({
      identity_id: linked,
      provider: 'keycloak',
      provider_id: person.sub,
    })
  })

  it('no longer signs in to the account', async () => {
    const { id, token, linked, person } = await linkedSession()
    await identities.unlink(token, linked)
    const { fragment } = await signInAtRealm(auth, realm, person)
    expect((await userOf(fragment['access_token'] ?? '')).id).not.toBe(id)
  })

  it('may be linked again, by any user', async () => {
    const { token, linked, person } = await linkedSession()
    await identities.unlink(token, linked)
    const other = await auth.given.session()
    const { fragment } = await identities.link(other.accessToken, person)
    expect((await userOf(fragment['access_token'] ?? '')).id).toBe(other.user.id)
  })

  it('loses the stored tokens of its provider', async () => {
    const { token, linked } = await linkedSession()
    const kept = () =>
      auth.rows('select from auth.provider_tokens where identity_id = $1', [linked])
    expect(await kept()).toHaveLength(1)
    await identities.unlink(token, linked)
    expect(await kept()).toEqual([])
  })

  it('revokes the code of a sign-in with it', async () => {
    const { token, linked, person } = await linkedSession()
    const code_verifier = 'v'.repeat(50)
    const { query } = await signInAtRealm(auth, realm, person, {
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 's256',
    })
    await identities.unlink(token, linked)
    const exchange = { auth_code: query['code'], code_verifier }
    expect(statusAndCode(await auth.post('/token?grant_type=pkce', exchange))).toEqual([
      404,
      'flow_state_not_found',
    ])
  })
})

describe('the address of an identity', () => {
  it('is removed with it, and another verified one replaces it', async () => {
    const { email, token, own, person } = await linkedSession()
    const answer = await identities.unlink(token, own)

    expect(answer.status).toBe(200)
    expect(await userOf(token)).toMatchObject({
      email: person.email,
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
    })
    // The owner of the provider account may not know this account.
    expect((await auth.messageTo(email)).type).toBe('identity_unlinked_notification')
    expect(await auth.messagesTo(String(person.email))).toEqual([])
  })

  it('T41: revokes the messages sent to its address, and a requested change', async () => {
    const { email, token, own } = await linkedSession()
    await auth.post('/recover', { email })
    const recovery = await auth.messageTo(email)
    await auth.put('/user', { email: 'next@unlinking.test' }, { token })
    const change = await auth.messageTo('next@unlinking.test')
    await identities.unlink(token, own)

    expect((await userOf(token)).new_email).toBeUndefined()
    for (const { type, hash } of [recovery, change]) {
      const answer = await auth.post('/verify', { type, token_hash: hash })
      expect(statusAndCode(answer)).toEqual([403, 'otp_expired'])
    }
    const { id } = await userOf(token)
    expect(await auth.rows('select from auth.one_time_tokens where user_id = $1', [id])).toEqual([])
  })

  it('keeps links valid where the address stays', async () => {
    const { email, token, linked } = await linkedSession()
    await auth.post('/recover', { email })
    const { hash, type } = await auth.messageTo(email)
    await identities.unlink(token, linked)
    expect((await auth.post('/verify', { type, token_hash: hash })).status).toBe(200)
  })

  it('stays where another identity has it', async () => {
    const { user, accessToken: token } = await auth.given.session()
    const person = { ...newPerson(), email: user.email ?? '' }
    await identities.link(token, person)
    const [own] = await identities.identitiesOf(token)
    await identities.unlink(token, own?.identity_id ?? '')
    expect(await userOf(token)).toMatchObject({
      email: user.email,
      email_confirmed_at: expect.any(String),
    })
  })

  it('rule 2: does not replace the address by an unconfirmed one', async () => {
    const person = { ...newPerson(), email_verified: false }
    const { email, token, own } = await linkedSession(person)
    const answer = await identities.unlink(token, own)

    expect(statusAndCode(answer)).toEqual([422, 'email_conflict_identity_not_deletable'])
    expect((await userOf(token)).email).toBe(email)
  })

  it('does not replace the address by that of another user', async () => {
    const victim = await auth.given.user()
    const person = { ...newPerson(), email: victim.email ?? '' }
    const { token, own } = await linkedSession(person)
    const answer = await identities.unlink(token, own)

    expect(statusAndCode(answer)).toEqual([422, 'email_conflict_identity_not_deletable'])
    expect(await auth.messagesTo(victim.email ?? '')).toEqual([])
  })

  it('is removed without a replacement where a confirmed phone is left', async () => {
    const { token, own, email } = await withPhone('4915560002001')
    expect((await identities.unlink(token, own)).status).toBe(200)
    expect(await userOf(token)).toMatchObject({
      email: '',
      phone: '4915560002001',
      user_metadata: { email_verified: false },
    })
    expect(await auth.rows('select from auth.users where email = $1', [email])).toEqual([])
  })

  it('rule 2: is kept if only an unconfirmed phone would remain', async () => {
    const { id, token, own } = await withPhone('4915560002002')
    await auth.rows(
      'update auth.users set phone_confirmed_at = null, version = version + 1 where id = $1',
      [id],
    )
    const answer = await identities.unlink(token, own)
    expect(statusAndCode(answer)).toEqual([422, 'email_conflict_identity_not_deletable'])
  })

  it('may be a phone, whose codes are revoked', async () => {
    const phone = '4915560002003'
    const { id, token, phoneIdentity } = await withPhone(phone)
    await auth.post('/otp', { phone })
    const { code } = await auth.messageTo(phone)
    await identities.unlink(token, phoneIdentity)

    const [row] = await auth.rows(
      'select phone, phone_confirmed_at from auth.users where id = $1',
      [id],
    )
    expect(row).toEqual({ phone: null, phone_confirmed_at: null })
    const answer = await auth.post('/verify', { type: 'sms', phone, token: code })
    expect(statusAndCode(answer)).toEqual([403, 'otp_expired'])
  })

  async function withPhone(phone: string) {
    const { accessToken: token, user } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { phone, phoneConfirm: true })
    const all = await identities.identitiesOf(token)
    const idOf = (name: string) => all.find(({ provider }) => provider === name)?.identity_id ?? ''
    return {
      id: user.id,
      email: user.email,
      token,
      own: idOf('email'),
      phoneIdentity: idOf('phone'),
    }
  }
})

describe('DELETE /user/identities/{identity_id}', () => {
  it('leaves at least one identity', async () => {
    const { token, own, linked } = await linkedSession()
    await identities.unlink(token, linked)
    expect(statusAndCode(await identities.unlink(token, own))).toEqual([
      422,
      'single_identity_not_deletable',
    ])
  })

  it('leaves one of two that are unlinked concurrently', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => linkedSession()))
    await Promise.all(
      people.flatMap(({ token, own, linked }) =>
        [own, linked, own, linked].map((one) => identities.unlink(token, one)),
      ),
    )
    for (const { token } of people) expect(await identities.identitiesOf(token)).toHaveLength(1)
  })

  it('leaves one of two of one provider that are unlinked concurrently', async () => {
    const { token, own } = await linkedSession()
    await identities.link(token, newPerson())
    await identities.unlink(token, own)
    const all = await identities.identitiesOf(token)
    const answers = await Promise.all(
      all.map(({ identity_id }) => identities.unlink(token, identity_id)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect(await identities.identitiesOf(token)).toHaveLength(1)
  })

  it('and a concurrent link both succeed', async () => {
    const { token, linked } = await linkedSession()
    const person = newPerson()
    const [answer, arrived] = await Promise.all([
      identities.unlink(token, linked),
      identities.link(token, person),
    ])
    expect([answer.status, arrived.query['error_code']]).toEqual([200, undefined])
    const left = await identities.identitiesOf(token)
    expect(left.map(({ id }) => id).slice(1)).toEqual([person.sub])
  })

  it('rejects in the order of the wire', async () => {
    const { token, linked } = await linkedSession()
    const elsewhere = { 'x-jwt-aud': 'elsewhere' }
    const unknownId = '7f3a3f0c-0000-4000-8000-000000000000'
    const answers = [
      await identities.unlink(token, 'none', elsewhere),
      await identities.unlink(token, unknownId, elsewhere),
      await identities.unlink(token, unknownId),
      await identities.unlink(token, linked.toUpperCase(), { 'x-jwt-aud': 'authenticated' }),
      await identities.unlink(token, unknownId),
    ]
    expect(answers.map(statusAndCode)).toEqual([
      [404, 'validation_failed'],
      [403, 'unexpected_audience'],
      [422, 'identity_not_found'],
      [200, undefined],
      [422, 'single_identity_not_deletable'],
    ])
  })

  it('S144: replaces the email after a recent sign-in only, since a change would need its confirmation', async () => {
    const { email, token, own } = await linkedSession()
    auth.clock.advance(700)
    const answer = await identities.unlink(token, own)

    expect(statusAndCode(answer)).toEqual([403, 'reauthentication_needed'])
    expect(await userOf(token)).toMatchObject({ email })
  })

  it('T37: does not find identities of other users, whose accounts stay unchanged', async () => {
    const [victim, attacker] = [await linkedSession(), await linkedSession()]
    const before = await userOf(victim.token)
    for (const one of [victim.own, victim.linked, victim.id, victim.person.sub]) {
      const [status] = statusAndCode(await identities.unlink(attacker.token, one))
      expect([404, 422]).toContain(status)
    }
    expect(await userOf(victim.token)).toEqual(before)
    const { fragment } = await signInAtRealm(auth, realm, victim.person)
    expect((await userOf(fragment['access_token'] ?? '')).id).toBe(victim.id)
  })

  it('requires the second factor of a user who has one', async () => {
    const { token, linked, email } = await linkedSession()
    const factors = secondFactors(auth)
    const { body: strong } = await factors.prove(token, await factors.enrolledApp(token))
    const { accessToken: weak } = await factors.signIn(email)
    expect(statusAndCode(await identities.unlink(weak, linked))).toEqual([403, 'insufficient_aal'])
    expect((await identities.unlink(strong.access_token, linked)).status).toBe(200)
  })

  it('keeps the password, which signs in by the remaining address', async () => {
    const { token, own, person } = await linkedSession()
    await identities.unlink(token, own)
    const credentials = { email: person.email, password: testPassword }
    expect((await auth.post('/token?grant_type=password', credentials)).status).toBe(200)
  })

  it('works alike by auth.api.unlinkIdentity', async () => {
    const { token: accessToken, linked: identityId } = await linkedSession()
    await auth.auth.api.unlinkIdentity({ accessToken, identityId })
    expect((await auth.auth.api.getUser({ accessToken })).identities).toHaveLength(1)
  })
})

it('is rejected with linking, where the operator has not permitted it', async () => {
  const closed = await startMessagingAuth({ providers: { keycloak: realmSettings(realm) } })
  const { accessToken: token } = await closed.given.session()
  const answers = [
    await closed.get('/user/identities/authorize?provider=keycloak', { token }),
    await closed.request('DELETE', '/user/identities/none', { token }),
  ]
  await closed.close()
  expect(answers.map(statusAndCode)).toEqual([
    [404, 'manual_linking_disabled'],
    [404, 'manual_linking_disabled'],
  ])
})
