import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator, type Deviations } from '../../../test/support/authenticator.ts'
import { type Passkeys, passkeysOf } from '../../../test/support/passkeys.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let passkeys: Passkeys

beforeAll(async () => {
  auth = await startTestAuth({ passkeys: { enabled: true } })
  passkeys = passkeysOf(auth)
})
afterAll(() => auth.close())

const refused = {
  status: 400,
  body: { error_code: 'webauthn_verification_failed', msg: 'Credential verification failed' },
}
const unknownChallenge = {
  status: 400,
  body: {
    error_code: 'webauthn_challenge_not_found',
    msg: 'Challenge not found or already used',
  },
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe('POST /passkeys/authentication/verify', () => {
  it.each(['ES256', 'RS256', 'EdDSA'] as const)('signs in with a key of %s', async (algorithm) => {
    const { authenticator, user } = await passkeys.holder(algorithm)

    const answer = await passkeys.signIn(authenticator)

    expect(answer).toMatchObject({ status: 200, body: { user: { id: user.id } } })
    expect(claimsOf(answer.body.access_token)).toMatchObject({
      sub: user.id,
      aal: 'aal1',
      amr: [{ method: 'passkey' }],
    })
    const { status } = await auth.get('/user', { token: answer.body.access_token })
    expect(status).toBe(200)
  })

  it('requests a passkey that the user chooses, with user verification', async () => {
    const { status, body } = await passkeys.ask()

    expect(status).toBe(200)
    expect(body.options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      timeout: 300_000,
      rpId: 'app.example.test',
      userVerification: 'required',
    })
    expect(body.expires_at).toBe(Math.floor(auth.clock.now().getTime() / 1000) + 300)
  })

  it.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example.test' }],
    ['the same host without TLS', { origin: 'http://app.example.test' }],
    ['another relying party', { rpId: 'example.test' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['a response to a registration', { type: 'webauthn.create' }],
    ['no user verification', { userVerified: false }],
    ['no user presence', { userPresent: false }],
    ['another key', { forged: true }],
    ['no user handle', { userHandle: '' }],
    ['the user handle of another user', { userHandle: Buffer.from('x').toString('base64url') }],
    ['a passkey that cannot be copied any more', { backupEligible: false }],
  ])('rejects %s', async (_, deviations) => {
    const { authenticator } = await passkeys.holder()

    expect(await passkeys.signIn(authenticator, deviations)).toMatchObject(refused)
    expect(await passkeys.signIn(authenticator)).toMatchObject({ status: 200 })
  })

  it('rejects an unregistered passkey', async () => {
    const otherKey = createAuthenticator()

    expect(await passkeys.signIn(otherKey)).toMatchObject(refused)
  })

  it('rejects the passkey of one user under the handle of another', async () => {
    const ada = await passkeys.holder()
    const grace = await passkeys.holder()
    const userHandle = Buffer.from(ada.user.id).toString('base64url')

    expect(await passkeys.signIn(grace.authenticator, { userHandle })).toMatchObject(refused)
  })

  it('rejects a challenge that was already used, also by a failed attempt', async () => {
    const { authenticator } = await passkeys.holder()
    const requested = await passkeys.ask()
    const credential = authenticator.get(requested.body.options)
    const wrong = await passkeys.ask()
    await passkeys.answer(wrong, authenticator.get(wrong.body.options, { forged: true }))

    expect(await passkeys.answer(requested, credential)).toMatchObject({ status: 200 })
    expect(await passkeys.answer(requested, credential)).toMatchObject(unknownChallenge)
    const late = await passkeys.answer(wrong, authenticator.get(wrong.body.options))
    expect(late).toMatchObject(unknownChallenge)
  })

  it('rejects a challenge for a registration', async () => {
    const { authenticator, accessToken } = await passkeys.holder()
    const begun = await passkeys.begin(accessToken)
    const options = { challenge: begun.body.options.challenge, rpId: 'app.example.test' }

    const answer = await passkeys.answer(begun, authenticator.get(options))

    expect(answer).toMatchObject(unknownChallenge)
  })

  it('rejects a challenge that has expired', async () => {
    const { authenticator } = await passkeys.holder()
    const requested = await passkeys.ask()
    auth.clock.advance(300)

    const answer = await passkeys.answer(requested, authenticator.get(requested.body.options))

    expect(answer).toMatchObject({
      status: 400,
      body: { error_code: 'webauthn_challenge_expired', msg: 'Challenge has expired' },
    })
  })

  it('rejects a counter that does not rise', async () => {
    const { authenticator } = await passkeys.holder()
    const signIn = (signCount: number) => passkeys.signIn(authenticator, { signCount })

    expect(await signIn(5)).toMatchObject({ status: 200 })
    expect(await signIn(5)).toMatchObject(refused)
    expect(await signIn(4)).toMatchObject(refused)
    expect(await signIn(0)).toMatchObject(refused)
    expect(await signIn(6)).toMatchObject({ status: 200 })
  })

  it('accepts one of two responses with the same counter, each to its own challenge', async () => {
    const { authenticator } = await passkeys.holder()

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => passkeys.signIn(authenticator, { signCount: 9 })),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('accepts one of 50 responses to the same challenge', async () => {
    const { authenticator, user } = await passkeys.holder()
    const requested = await passkeys.ask()
    const credential = authenticator.get(requested.body.options)
    const sessions = () => auth.rows('select id from auth.sessions where user_id = $1', [user.id])
    const before = await sessions()

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => passkeys.answer(requested, credential)),
    )

    const statuses = Map.groupBy(answers, ({ status }) => status)
    expect(statuses.get(200)).toHaveLength(1)
    expect(statuses.get(400)).toHaveLength(49)
    expect(await sessions()).toHaveLength(before.length + 1)
  })

  it('signs in with a passkey without a counter, many times concurrently', async () => {
    const { authenticator } = await passkeys.holder()

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => passkeys.signIn(authenticator)),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it('rejects a banned user, with that reason only for the owner of the passkey', async () => {
    const { authenticator, user } = await passkeys.holder()
    await auth.auth.admin.banUser(user.id, { duration: '1h' })

    const answer = await passkeys.signIn(authenticator)

    expect(answer).toMatchObject({ status: 403, body: { error_code: 'user_banned' } })
    expect(await passkeys.signIn(authenticator, { forged: true })).toMatchObject(refused)
  })

  it('rejects a user who has not confirmed an address', async () => {
    const { authenticator, user } = await passkeys.holder()
    await auth.rows('update auth.users set email_confirmed_at = null where id = $1', [user.id])

    const answer = await passkeys.signIn(authenticator)

    expect(answer).toMatchObject({
      status: 403,
      body: { error_code: 'email_not_confirmed', msg: 'Email not confirmed' },
    })
  })

  it('rejects a deleted user', async () => {
    const deleted = await passkeys.holder()
    const hidden = await passkeys.holder()
    await auth.auth.admin.deleteUser(deleted.user.id)
    await auth.auth.admin.deleteUser(hidden.user.id, { soft: true })

    expect(await passkeys.signIn(deleted.authenticator)).toMatchObject(refused)
    expect(await passkeys.signIn(hidden.authenticator)).toMatchObject(refused)
  })

  it.each<[string, object | undefined, string]>([
    ['nothing', {}, 'challenge_id is required'],
    ['no credential', { challenge_id: 'x' }, 'credential is required'],
    [
      'a wrong id',
      { challenge_id: 'x', credential: { a: 1 } },
      'challenge_id must be a valid UUID',
    ],
  ])('reports the invalid field: %s', async (_, body, msg) => {
    const answer = await auth.post('/passkeys/authentication/verify', body)

    expect(answer).toMatchObject({ status: 400, body: { error_code: 'validation_failed', msg } })
  })

  it.each([
    ['no response', { id: 'AA', rawId: 'AA', type: 'public-key' }],
    ['another type', { id: 'AA', rawId: 'AA', type: 'password', response: {} }],
    ['another raw id', { id: 'AA', rawId: 'AB', type: 'public-key', response: {} }],
    ['numbers', { id: 1, rawId: 1, type: 'public-key', response: {} }],
    ['lists', { id: ['AA'], rawId: ['AA'], type: 'public-key', response: [] }],
  ])('rejects a credential of %s', async (_, credential) => {
    const answer = await passkeys.answer(await passkeys.ask(), credential)

    expect(answer).toMatchObject({
      status: 400,
      body: { error_code: 'webauthn_verification_failed', msg: 'Invalid credential response' },
    })
  })

  it('rejects malformed authenticator data', async () => {
    const { authenticator } = await passkeys.holder()
    const requested = await passkeys.ask()
    const credential = authenticator.get(requested.body.options) as { response: object }
    const response = { ...credential.response, authenticatorData: 'AAAA', clientDataJSON: 'AAAA' }

    expect(await passkeys.answer(requested, { ...credential, response })).toMatchObject(refused)
  })

  it('records the passkey of each sign-in and of each failed one', async () => {
    const { authenticator, user, id } = await passkeys.holder()
    await passkeys.signIn(authenticator)
    await passkeys.signIn(authenticator, { forged: true })

    const done = await auth.auth.admin.listAudit({ actorId: user.id, action: 'login' })
    const failed = await auth.auth.admin.listAudit({ userId: user.id, action: 'failed_sign_in' })

    const traits = { provider: 'passkey', passkey_id: id }
    expect(done.entries).toContainEqual(expect.objectContaining({ traits }))
    expect(failed.entries).toMatchObject([
      { traits: { provider: 'passkey', reason: 'webauthn_verification_failed' } },
    ])
  })
})

describe('with passkeys disabled', () => {
  it('no user starts a sign-in, signs in or manages passkeys', async () => {
    const off = await startTestAuth()
    const { accessToken: token } = await off.given.session()
    const id = crypto.randomUUID()

    const answers = await Promise.all([
      off.post('/passkeys/authentication/options', {}),
      off.post('/passkeys/authentication/verify', {}),
      off.post('/passkeys/registration/options', {}, { token }),
      off.post('/passkeys/registration/verify', {}, { token }),
      off.get('/passkeys', { token }),
      off.request('PATCH', `/passkeys/${id}`, { token, body: { friendly_name: 'x' } }),
      off.request('DELETE', `/passkeys/${id}`, { token }),
    ])
    await off.close()

    const disabled = { error_code: 'passkey_disabled', msg: 'Passkeys are disabled' }
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: disabled })
  })
})

it('limits the challenges that a client requests, but not its responses', async () => {
  const limited = await startTestAuth({ passkeys: { enabled: true }, rateLimits: { passkey: 1 } })
  const from = { ip: '198.51.100.7' }
  const ask = () => limited.post('/passkeys/authentication/options', {}, from)

  const answers = await Promise.all(Array.from({ length: 31 }, ask))
  const verified = await limited.post('/passkeys/authentication/verify', {}, from)
  await limited.close()

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 429,
    body: { error_code: 'over_request_rate_limit' },
  })
  expect(verified.status).toBe(400)
})
