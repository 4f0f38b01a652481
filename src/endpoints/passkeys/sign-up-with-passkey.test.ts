import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator, type Deviations } from '../../../test/support/authenticator.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Passkeys, passkeysOf } from '../../../test/support/passkeys.ts'
import { claimsIn, statusAndCode } from '../../../test/support/second-factors.ts'
import { startTestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

const switchedOn: AuthConfig = {
  passkeys: { enabled: true, signUpEnabled: true },
  webAuthn: { rpDisplayName: 'Acme' },
}

let auth: MessagingAuth
let passkeys: Passkeys

beforeAll(async () => {
  auth = await startMessagingAuth(switchedOn)
  passkeys = passkeysOf(auth)
})
afterAll(() => auth.close())

const usersOf = () => auth.rows('select id from auth.users order by id')
const passkeysStored = () => auth.rows('select id from auth.passkeys order by id')

describe('POST /passkeys/signup/options', () => {
  it('requests a passkey for a new user, with the submitted name', async () => {
    const { status, body } = await passkeys.beginSignUp({ name: 'Ada' })

    expect(status).toBe(200)
    expect(body.options).toMatchObject({
      rp: { id: 'app.example.test', name: 'Acme' },
      user: { name: 'Ada', displayName: 'Ada' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    expect(body.options.excludeCredentials).toBeUndefined()
    expect(await auth.rows('select 1 from auth.users where id = $1', [body.challenge_id])).toEqual(
      [],
    )
  })

  it('uses the name of the site where none is submitted', async () => {
    const { body } = await auth.post('/passkeys/signup/options')

    expect(body.options.user).toMatchObject({ name: 'Acme', displayName: 'Acme' })
  })

  it('rejects a name that authenticators would truncate', async () => {
    const answer = await passkeys.beginSignUp({ name: 'é'.repeat(33) })

    expect(answer).toMatchObject({
      status: 400,
      body: { error_code: 'validation_failed', msg: 'name must be 64 bytes or less' },
    })
  })
})

describe('POST /passkeys/signup/verify', () => {
  it('creates a user without an address, whom the passkey signs in', async () => {
    const authenticator = createAuthenticator()
    const { status, body } = await passkeys.signUp(authenticator, { data: { theme: 'dark' } })

    expect(status).toBe(200)
    expect(body.user).toMatchObject({
      email: '',
      phone: '',
      is_anonymous: false,
      identities: [],
      user_metadata: { theme: 'dark' },
      last_sign_in_at: auth.clock.now().toISOString(),
    })
    expect(claimsIn(body.access_token)).toMatchObject({
      sub: body.user.id,
      aal: 'aal1',
      amr: [{ method: 'passkey' }],
      is_anonymous: false,
    })
    const listed = await auth.get('/passkeys', { token: body.access_token })
    expect(listed.body).toMatchObject([{ friendly_name: 'Passkey' }])
    const again = await passkeys.signIn(authenticator)
    expect(again).toMatchObject({ status: 200, body: { user: { id: body.user.id } } })
  })

  it('records the sign-up and the sign-in', async () => {
    const { body } = await passkeys.signUp(createAuthenticator())

    const { entries } = await auth.auth.admin.listAudit({ actorId: body.user.id })

    expect(entries.map(({ action }) => action).sort()).toEqual(['login', 'user_signedup'])
    expect(entries[0]?.traits).toMatchObject({ provider: 'passkey' })
  })

  it.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example.test' }],
    ['another relying party', { rpId: 'example.test' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['no user verification', { userVerified: false }],
    ['a wrong signature of the attestation', { attestation: 'packed, wrongly signed' }],
  ])('creates no user for %s, and consumes the challenge', async (_, deviations) => {
    const before = await usersOf()
    const begun = await passkeys.beginSignUp()
    const create = (wrong: Deviations = {}) =>
      createAuthenticator().create(begun.body.options, wrong)

    const wrong = await passkeys.finishSignUp(begun, create(deviations))
    const late = await passkeys.finishSignUp(begun, create())

    expect(statusAndCode(wrong)).toEqual([400, 'webauthn_verification_failed'])
    expect(statusAndCode(late)).toEqual([400, 'webauthn_challenge_not_found'])
    expect(await usersOf()).toEqual(before)
  })

  it('creates one user for 50 responses to the same challenge', async () => {
    const before = await usersOf()
    const begun = await passkeys.beginSignUp()

    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        passkeys.finishSignUp(begun, createAuthenticator().create(begun.body.options)),
      ),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await usersOf()).toHaveLength(before.length + 1)
  })

  it('creates one user for 10 sign-ups with the same passkey', async () => {
    const authenticator = createAuthenticator()
    const begun = await Promise.all(Array.from({ length: 10 }, () => passkeys.beginSignUp()))
    const before = await Promise.all([usersOf(), passkeysStored()])

    const answers = await Promise.all(
      begun.map((one) => passkeys.finishSignUp(one, authenticator.create(one.body.options))),
    )

    const refused = answers.filter(({ status }) => status !== 200).map(statusAndCode)
    expect(refused).toEqual(Array(9).fill([422, 'webauthn_credential_exists']))
    const after = await Promise.all([usersOf(), passkeysStored()])
    expect(after.map((rows) => rows.length)).toEqual(before.map((rows) => rows.length + 1))
  })

  it('T13: accepts no challenge of another ceremony, and its own is not accepted there', async () => {
    const { accessToken, authenticator } = await passkeys.holder()
    const [begun, requested, toRegister] = [
      await passkeys.beginSignUp(),
      await passkeys.ask(),
      await passkeys.begin(accessToken),
    ]
    const createFor = ({ body }: typeof begun) =>
      createAuthenticator().create({
        challenge: body.options.challenge,
        rp: { id: 'app.example.test' },
        user: { id: 'AA' },
      })
    const { challenge } = begun.body.options
    const assertion = authenticator.get({ challenge, rpId: 'app.example.test' })

    const answers = [
      await passkeys.finishSignUp(requested, createFor(requested)),
      await passkeys.finishSignUp(toRegister, createFor(toRegister)),
      await passkeys.finish(accessToken, begun, createFor(begun)),
      await passkeys.answer(begun, assertion),
    ]

    for (const answer of answers) {
      expect(statusAndCode(answer)).toEqual([400, 'webauthn_challenge_not_found'])
    }
    expect(await passkeys.finishSignUp(begun, createFor(begun))).toMatchObject({ status: 200 })
  })

  it('rejects a challenge that has expired', async () => {
    const begun = await passkeys.beginSignUp()
    auth.clock.advance(300)

    const credential = createAuthenticator().create(begun.body.options)

    expect(statusAndCode(await passkeys.finishSignUp(begun, credential))).toEqual([
      400,
      'webauthn_challenge_expired',
    ])
  })

  it('rejects an id that an operator has used since', async () => {
    const begun = await passkeys.beginSignUp()
    const id = begun.body.challenge_id
    await auth.auth.admin.createUser({ id, email: 'taken@example.test' })
    const authenticator = createAuthenticator()

    const answer = await passkeys.finishSignUp(begun, authenticator.create(begun.body.options))

    expect(statusAndCode(answer)).toEqual([400, 'webauthn_challenge_not_found'])
    expect(await passkeys.signIn(authenticator)).toMatchObject({ status: 400 })
  })

  it('rejects metadata that is too large, and an unknown audience', async () => {
    const before = await usersOf()
    const large = { data: { x: 'x'.repeat(20_000) } }
    const nowhere = { headers: { 'x-jwt-aud': 'nowhere' } }

    const answers = [
      await passkeys.signUp(createAuthenticator(), large),
      await passkeys.signUp(createAuthenticator(), {}, nowhere),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'validation_failed'],
      [400, 'validation_failed'],
    ])
    expect(await usersOf()).toEqual(before)
  })

  it.each<[string, AuthConfig, [number, string]]>([
    ['passkeys are off', {}, [404, 'passkey_disabled']],
    [
      'sign-up by passkey is not enabled',
      { passkeys: { enabled: true } },
      [422, 'signup_disabled'],
    ],
    [
      'sign-ups are disabled',
      { ...switchedOn, signUp: { disabled: true } },
      [422, 'signup_disabled'],
    ],
  ])('is rejected where %s, and in code', async (_, config, rejection) => {
    const strict = await startTestAuth(config)
    const { api } = strict.auth

    const answers = [
      await strict.post('/passkeys/signup/options', {}),
      await strict.post('/passkeys/signup/verify', {}),
    ]
    const inCode = await Promise.allSettled([
      api.startPasskeySignUp(),
      api.verifyPasskeySignUp({ challengeId: crypto.randomUUID(), credential: {} }),
    ])

    expect(answers.map(statusAndCode)).toEqual([rejection, rejection])
    for (const call of inCode) expect(call).toMatchObject({ reason: { code: rejection[1] } })
    await strict.close()
  })

  it('has the limit per client of anonymous sign-ins', async () => {
    const limited = await startTestAuth({ ...switchedOn, rateLimits: { anonymousUsers: 2 } })
    const eve = { ip: '198.51.100.66' }
    const signUp = async (from = eve) =>
      (await passkeysOf(limited).signUp(createAuthenticator(), {}, from)).status

    const statuses = [await signUp(), await signUp(), await signUp()]

    expect(statuses).toEqual([200, 200, 429])
    expect(await signUp({ ip: '203.0.113.10' })).toBe(200)
    await limited.close()
  })
})

describe('a user with a passkey only', () => {
  const ann = { ip: '203.0.113.10' }
  const eve = { ip: '198.51.100.66' }
  let made = 0
  const newUser = async () => {
    const authenticator = createAuthenticator()
    const { body } = await passkeys.signUp(authenticator, { data: { cart: 7 } }, ann)
    made += 1
    const email = `passkey-${made}@example.test`
    return { authenticator, email, id: body.user.id, token: body.access_token }
  }

  it('adds an email later, and keeps the id; earlier credentials do not sign in', async () => {
    const { authenticator, email, id, token } = await newUser()
    await auth.put('/user', { email, password: testPassword }, { token, ...ann })
    const { hash } = await auth.messageTo(email)

    const verified = await auth.post('/verify', { type: 'email_change', token_hash: hash }, ann)

    expect(verified).toMatchObject({
      status: 200,
      body: {
        user: { id, email, user_metadata: { cart: 7 }, identities: [{ provider: 'email' }] },
      },
    })
    expect(claimsIn(verified.body.access_token).sub).toBe(id)
    expect(statusAndCode(await auth.get('/user', { token }))).toEqual([403, 'session_not_found'])
    expect(statusAndCode(await passkeys.signIn(authenticator))).toEqual([
      403,
      'email_not_confirmed',
    ])
    await expect(
      auth.auth.api.signInWithPassword({ email, password: testPassword }),
    ).rejects.toMatchObject({ code: 'invalid_credentials' })
  })

  it('signs in while the email is unconfirmed', async () => {
    const { authenticator, email, id, token } = await newUser()
    await auth.put('/user', { email }, { token, ...ann })

    expect(await passkeys.signIn(authenticator)).toMatchObject({ body: { user: { id } } })
  })

  it('keeps no credential when another client, possibly the owner, proves the address', async () => {
    const { authenticator, email, id, token } = await newUser()
    await auth.put('/user', { email, password: testPassword }, { token, ...ann })
    const { hash } = await auth.messageTo(email)

    const verified = await auth.post('/verify', { type: 'email_change', token_hash: hash }, eve)

    expect(verified.body.user).toMatchObject({ id, email })
    expect(verified.body.user.user_metadata.cart).toBeUndefined()
    expect(statusAndCode(await passkeys.signIn(authenticator))).toEqual([
      403,
      'email_not_confirmed',
    ])
    expect(statusAndCode(await auth.get('/user', { token }))).toEqual([403, 'session_not_found'])
  })
})

describe('in code', () => {
  it('a user signs up by passkey only', async () => {
    const { api } = auth.auth
    const authenticator = createAuthenticator()

    const begun = await api.startPasskeySignUp({ name: 'Ada' })
    const { user, session } = await api.verifyPasskeySignUp({
      challengeId: begun.challengeId,
      credential: authenticator.create(begun.options),
      data: { theme: 'dark' },
    })

    expect(user).toMatchObject({ email: null, isAnonymous: false, userMetadata: { theme: 'dark' } })
    expect(await api.listPasskeys({ accessToken: session.accessToken })).toHaveLength(1)
  })
})
