import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeRealm,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type Linking, linking, newPerson } from '../../../test/support/linking.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { claimsIn, secondFactors } from '../../../test/support/second-factors.ts'
import { type GivenSession, testPassword } from '../../../test/support/test-auth.ts'

let realm: FakeRealm
let auth: MessagingAuth
let identities: Linking

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    security: { manualLinkingEnabled: true },
    sessions: { timeboxSeconds: 7200 },
    providers: { keycloak: realmSettings(realm), github: { enabled: false } },
    email: {
      autoconfirm: false,
      maxFrequencySeconds: 0,
      notifications: { identityLinked: true },
    },
  })
  identities = linking(auth, realm)
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})

const userOf = async (token: string | undefined) => (await auth.get('/user', { token })).body
const providersOf = async (token: string) =>
  (await identities.identitiesOf(token)).map(({ provider }) => provider)

/** Creates a session of a user with a phone and without an email. */
async function phoneSession(phone: string) {
  const { id } = await auth.auth.admin.createUser({
    phone,
    password: testPassword,
    phoneConfirm: true,
  })
  const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
  return { id, token: session.accessToken }
}

describe('S07: linking in a session without a recent proof', () => {
  const proofTimes = (token: string | undefined) =>
    claimsIn(token ?? '').amr?.map(({ method, timestamp }) => [method, timestamp])

  it.each(['implicit', 'PKCE'])('opens no session that is more recent: %s', async (flow) => {
    const { accessToken } = await auth.given.session()
    const [signedIn] = claimsIn(accessToken).amr ?? []
    auth.clock.advance(1800)
    const verifier = 'v'.repeat(50)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const query = { code_challenge: challenge, code_challenge_method: 's256' }
    const { fragment, location } = await identities.link(
      accessToken,
      newPerson(),
      flow === 'PKCE' ? query : {},
    )
    const exchanged = await auth.post('/token?grant_type=pkce', {
      auth_code: location.searchParams.get('code') ?? 'none',
      code_verifier: verifier,
    })
    const token = flow === 'PKCE' ? exchanged.body.access_token : fragment['access_token']

    expect(proofTimes(token)).toEqual([['oauth', signedIn?.timestamp]])
  })

  it('S06: rejects a user with a factor, where it starts and where it ends', async () => {
    const factors = secondFactors(auth)
    const { accessToken } = await factors.aal2Session()
    auth.clock.advance(500)
    const state = await identities.startLinking(accessToken)
    auth.clock.advance(200)

    await expect(identities.startLinking(accessToken)).rejects.toThrow('reauthentication_needed')
    const { location, fragment } = await identities.sendCallback(state, newPerson())
    expect(location.href).toContain('error_code=reauthentication_needed')
    expect(location.href).toContain('step_up=verify')
    expect(fragment['access_token']).toBeUndefined()
    expect(await providersOf(accessToken)).toEqual(['email'])
  })
})

describe('a linked identity', () => {
  it('belongs to the user, who continues in a new session', async () => {
    const { user, accessToken } = await auth.given.session()
    const person = newPerson()
    const { fragment, location } = await identities.link(accessToken, person)

    expect(location.origin).toBe('https://app.example.test')
    expect(fragment).toMatchObject({
      token_type: 'bearer',
      provider_token: expect.stringContaining('token of'),
    })
    const after = await userOf(fragment['access_token'])
    expect(after).toMatchObject({
      id: user.id,
      email: user.email,
      app_metadata: { provider: 'email', providers: ['email', 'keycloak'] },
      user_metadata: user.userMetadata,
    })
    expect(after.identities[1]).toMatchObject({ id: person.sub, email: person.email })
    expect(await auth.auth.api.listSessions({ accessToken })).toHaveLength(2)
    const mail = await auth.messageTo(user.email ?? '')
    expect(mail.type).toBe('identity_linked_notification')
    const [entry] = await auth.rows<{ traits: object }>(
      'select traits from auth.audit_entries where actor_id = $1 and action = 14',
      [user.id],
    )
    expect(entry?.traits).toEqual({
      identity_id: after.identities[1].identity_id,
      provider: 'keycloak',
      provider_id: person.sub,
    })
  })

  it('ends in a code for a client that submitted a code challenge', async () => {
    const { user, accessToken } = await auth.given.session()
    const code_verifier = 'v'.repeat(50)
    const { query } = await identities.link(accessToken, newPerson(), {
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 's256',
    })
    const { body } = await auth.post('/token?grant_type=pkce', {
      auth_code: query['code'],
      code_verifier,
    })
    expect(body).toMatchObject({
      user: { id: user.id },
      provider_token: expect.stringContaining('token of'),
    })
  })

  it('signs in from then on, and is not linked again', async () => {
    const { user, accessToken } = await auth.given.session()
    const person = newPerson()
    await identities.link(accessToken, person)
    const { fragment } = await signInAtRealm(auth, realm, person)
    expect((await userOf(fragment['access_token'])).id).toBe(user.id)

    const again = await identities.link(accessToken, person)
    expect(again.query).toMatchObject({
      error: 'server_error',
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked',
    })
  })

  it('is rejected if it belongs to another user, who keeps it', async () => {
    const [owner, other] = [await auth.given.session(), await auth.given.session()]
    const person = newPerson()
    await identities.link(owner.accessToken, person)
    const { query, fragment } = await identities.link(other.accessToken, person)

    expect(query).toMatchObject({
      error: 'server_error',
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked to another user',
    })
    expect(fragment['access_token']).toBeUndefined()
    expect(await providersOf(other.accessToken)).toEqual(['email'])
    expect(await providersOf(owner.accessToken)).toEqual(['email', 'keycloak'])
  })

  it('belongs to one of two users who link it concurrently', async () => {
    const [one, two] = [await auth.given.session(), await auth.given.session()]
    const person = newPerson()
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        identities.link((at % 2 ? one : two).accessToken, person),
      ),
    )
    const ends = all.map(({ fragment }) => (fragment['access_token'] ? 'linked' : 'refused'))
    expect(ends.filter((end) => end === 'linked')).toHaveLength(1)
    expect(new Set(all.map(({ query }) => query['error_code']))).toEqual(
      new Set([undefined, 'identity_already_exists']),
    )
    const rows = await auth.rows('select id from auth.identities where subject = $1', [person.sub])
    expect(rows).toHaveLength(1)
    const sessions = await Promise.all(
      [one, two].map(({ accessToken }) => auth.auth.api.listSessions({ accessToken })),
    )
    expect(sessions.flat()).toHaveLength(3)
  })
})

describe('a user without an address', () => {
  it('gets the address that the provider has verified', async () => {
    const { id, token } = await phoneSession('4915560001001')
    const person = newPerson()
    const { fragment } = await identities.link(token, person)

    expect(await userOf(fragment['access_token'])).toMatchObject({
      id,
      email: person.email,
      email_confirmed_at: expect.any(String),
      user_metadata: { email_verified: true },
      phone: '4915560001001',
    })
  })

  it('confirms an address that the provider has not verified, by mail', async () => {
    const { id, token } = await phoneSession('4915560001002')
    const person = { ...newPerson(), email_verified: false }
    const { query } = await identities.link(token, person)
    const before = await userOf(token)
    const mail = await auth.messageTo(person.email)

    expect(query).toMatchObject({
      error: 'server_error',
      error_code: 'email_not_confirmed',
      error_description: expect.stringContaining('confirmation email has been sent'),
    })
    expect(before).toMatchObject({ id, email: '', new_email: person.email })
    expect(await providersOf(token)).toContain('keycloak')
    const { fragment } = await auth.follow(mail)
    expect(await userOf(fragment.get('access_token') ?? '')).toMatchObject({
      id,
      email: person.email,
      email_confirmed_at: expect.any(String),
    })
  })

  it('signs in with the identity while the address is unconfirmed', async () => {
    const { id, token } = await phoneSession('4915560001005')
    const person = { ...newPerson(), email_verified: false }
    await identities.link(token, person)
    const { fragment } = await signInAtRealm(auth, realm, person)
    expect((await userOf(fragment['access_token'])).id).toBe(id)
  })

  it('T11: does not assign another user’s address, verified or not', async () => {
    const victim = await auth.given.user()
    const { id, token } = await phoneSession('4915560001003')
    const email = victim.email ?? ''
    for (const email_verified of [true, false]) {
      const { fragment } = await identities.link(token, { ...newPerson(), email, email_verified })
      expect(await userOf(fragment['access_token'])).toMatchObject({ id, email: '' })
    }
    expect(await auth.messagesTo(email)).toEqual([])
  })

  it('reassigns a verified address of a reclaimable account', async () => {
    const person = newPerson()
    await auth.post('/signup', { email: person.email, password: testPassword })
    const { id, token } = await phoneSession('4915560001004')
    const { fragment } = await identities.link(token, person)

    expect(await userOf(fragment['access_token'])).toMatchObject({ id, email: person.email })
    const byPassword = { email: person.email, password: testPassword }
    // The password belongs to the user that owns the address now.
    expect((await auth.post('/token?grant_type=password', byPassword)).body.user.id).toBe(id)
  })
})

describe('an anonymous user', () => {
  /** Creates a user without identities and addresses, as the anonymous sign-up does. */
  async function anonymousSession() {
    const { user, accessToken } = await auth.given.session()
    await auth.rows('delete from auth.identities where user_id = $1', [user.id])
    await auth.rows(
      `update auth.users set is_anonymous = true, email = null, email_confirmed_at = null,
        app_metadata = '{}', version = version + 1 where id = $1`,
      [user.id],
    )
    return { id: user.id, token: accessToken }
  }

  it('becomes permanent', async () => {
    const { id, token } = await anonymousSession()
    const person = newPerson()
    const { fragment } = await identities.link(token, person)
    expect(await userOf(fragment['access_token'])).toMatchObject({
      id,
      is_anonymous: false,
      email: person.email,
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
    })
  })

  it('rejects an identity with another user’s address', async () => {
    const { email } = await auth.given.user()
    const { token } = await anonymousSession()
    for (const email_verified of [true, false]) {
      const person = { ...newPerson(), email: email ?? '', email_verified }
      const { query } = await identities.link(token, person)
      expect(query['error_code']).toBe('email_exists')
    }
    expect(await providersOf(token)).toEqual([])
  })
})

describe('a user who started to link', () => {
  it.each<[string, string, (begun: Begun) => Promise<unknown>]>([
    ['a sign-out', 'session_not_found', (begun) => auth.auth.api.signOut(begun)],
    ['a ban', 'user_banned', ({ user }) => auth.auth.admin.banUser(user.id)],
    [
      'a soft delete',
      'user_not_found',
      ({ user }) => auth.auth.admin.deleteUser(user.id, { soft: true }),
    ],
    ['the end of the session', 'session_expired', async () => auth.clock.advance(200)],
  ])('rule 13: links nothing after %s', async (_what, code, befall) => {
    const begun = await longSession()
    const state = await identities.startLinking(begun.accessToken)
    await befall(begun)
    await expectNothingLinked(state, code)
  })

  it('links nothing where the session has lost its second factor', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken } = await factors.aal2Session()
    const other = await factors.enrolledApp(accessToken, 'other')
    const { body } = await factors.prove(accessToken, other)
    const state = await identities.startLinking(body.access_token)
    await auth.auth.admin.deleteFactor(user.id, other.id)
    await expectNothingLinked(state, 'insufficient_aal')
  })

  it('loses the state with the account', async () => {
    const { user, accessToken } = await auth.given.session()
    const state = await identities.startLinking(accessToken)
    await auth.auth.admin.deleteUser(user.id)
    const { query } = await identities.sendCallback(state, newPerson())
    expect(query['error_code']).toBe('bad_oauth_state')
  })

  it('T13: links the identity that the provider returns, once', async () => {
    const { accessToken } = await auth.given.session()
    const state = await identities.startLinking(accessToken)
    const [first, second] = [newPerson(), newPerson()]
    await identities.sendCallback(state, first)
    const again = await identities.sendCallback(state, second)

    expect(again.query['error_code']).toBe('bad_oauth_state')
    expect((await identities.identitiesOf(accessToken)).map(({ id }) => id)).toContain(first.sub)
    expect(
      await auth.rows('select id from auth.identities where subject = $1', [second.sub]),
    ).toEqual([])
  })

  it('T13: links to the requesting user, although another user is signed in at the callback', async () => {
    const [ann, bob] = [await auth.given.session(), await auth.given.session()]
    const state = await identities.startLinking(ann.accessToken)
    await identities.startLinking(bob.accessToken)
    await identities.sendCallback(state, newPerson())

    expect(await providersOf(bob.accessToken)).toEqual(['email'])
    expect(await providersOf(ann.accessToken)).toEqual(['email', 'keycloak'])
  })

  it('accepts no invitation by it', async () => {
    const { user, accessToken } = await auth.given.session()
    const operator = await auth.given.serviceToken()
    const invited = 'invited@linking.test'
    await auth.post('/invite', { email: invited }, { token: operator })
    const { hash } = await auth.messageTo(invited)
    const person = { ...newPerson(), email: invited }
    const { fragment } = await identities.link(accessToken, person, { invite_token: hash })

    expect((await userOf(fragment['access_token'])).id).toBe(user.id)
  })
})

type Begun = Pick<GivenSession, 'user' | 'accessToken'>

/** A session shortly before its end, with a token that is valid longer. */
async function longSession(): Promise<Begun> {
  const { user, refreshToken } = await auth.given.session()
  auth.clock.advance(7200 - 100)
  const { session } = await auth.auth.api.refreshSession({ refreshToken })
  return { user, accessToken: session.accessToken }
}

async function expectNothingLinked(state: string, code: string): Promise<void> {
  const person = newPerson()
  const { query, fragment } = await identities.sendCallback(state, person)
  expect([query['error_code'], fragment['access_token']]).toEqual([code, undefined])
  expect(await auth.rows('select from auth.identities where subject = $1', [person.sub])).toEqual(
    [],
  )
}

describe('GET /user/identities/authorize', () => {
  const authorize = (token: string | undefined, query: Record<string, string>) =>
    auth.get(`/user/identities/authorize?${new URLSearchParams(query)}`, { token })

  it('redirects the browser, unless the page requests the URL', async () => {
    const { accessToken } = await auth.given.session()
    const { status, headers } = await authorize(accessToken, { provider: 'Keycloak' })
    expect(status).toBe(302)
    expect(headers.get('location')).toContain(`${realm.url}/protocol/openid-connect/auth?`)
  })

  it.each([
    ['a provider that is switched off', { provider: 'github' }],
    ['half a code challenge', { provider: 'keycloak', code_challenge: 'c'.repeat(43) }],
  ])('rejects %s', async (_what, query) => {
    const { accessToken } = await auth.given.session()
    const { status, body } = await authorize(accessToken, query)
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
  })

  it('requires the second factor of a user who has one', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken: strong } = await factors.aal2Session()
    const { accessToken: weak } = await factors.signIn(user.email)
    const answers = await Promise.all(
      [weak, strong].map((token) =>
        authorize(token, { provider: 'keycloak', skip_http_redirect: 'true' }),
      ),
    )
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [403, 'insufficient_aal'],
      [200, undefined],
    ])
  })
})

it('works alike by auth.api.linkIdentity', async () => {
  const { user, accessToken } = await auth.given.session()
  const { url } = await auth.auth.api.linkIdentity({ accessToken, provider: 'keycloak' })
  const state = new URL(url).searchParams.get('state') ?? ''
  const { fragment } = await identities.sendCallback(state, newPerson())
  expect((await userOf(fragment['access_token'])).id).toBe(user.id)
})
