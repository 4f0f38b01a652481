import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator, type Deviations } from '../../../test/support/authenticator.ts'
import { type Passkeys, passkeysOf } from '../../../test/support/passkeys.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let passkeys: Passkeys

beforeAll(async () => {
  auth = await startTestAuth({
    passkeys: { enabled: true, maxPasskeysPerUser: 3 },
    webAuthn: { rpDisplayName: 'Acme' },
  })
  passkeys = passkeysOf(auth)
})
afterAll(() => auth.close())

const refused = {
  status: 400,
  body: { error_code: 'webauthn_verification_failed', msg: 'Credential verification failed' },
}
const unknownChallenge = {
  status: 400,
  body: { error_code: 'webauthn_challenge_not_found' },
}
const tooMany = {
  status: 422,
  body: { error_code: 'too_many_passkeys', msg: 'Maximum number of passkeys reached' },
}

const listOf = async (token: string) => (await auth.get('/passkeys', { token })).body

describe('POST /passkeys/registration/options', () => {
  it('requests a discoverable credential with user verification', async () => {
    const { user, accessToken } = await auth.given.session()

    const { status, body } = await passkeys.begin(accessToken)

    expect(status).toBe(200)
    expect(body).toEqual({
      challenge_id: expect.any(String),
      expires_at: Math.floor(auth.clock.now().getTime() / 1000) + 300,
      options: {
        rp: { id: 'app.example.test', name: 'Acme' },
        user: {
          id: Buffer.from(user.id).toString('base64url'),
          name: user.email,
          displayName: user.email,
        },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8].map((alg) => ({
          type: 'public-key',
          alg,
        })),
        timeout: 300_000,
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    })
  })

  it('lists the passkeys of the user, and the displayed name', async () => {
    const { authenticator, accessToken } = await passkeys.holder()
    await auth.put('/user', { data: { name: 'Ada' } }, { token: accessToken })

    const { body } = await passkeys.begin(accessToken)

    expect(body.options.user.displayName).toBe('Ada')
    expect(body.options.excludeCredentials).toEqual([
      { type: 'public-key', id: authenticator.credentialId, transports: ['internal', 'hybrid'] },
    ])
  })
})

describe('POST /passkeys/registration/verify', () => {
  it.each([
    ['ES256', 'none'],
    ['RS256', 'none'],
    ['EdDSA', 'none'],
    ['ES256', 'packed'],
    ['RS256', 'packed'],
    ['EdDSA', 'packed'],
  ] as const)('registers a key of %s with attestation %s', async (algorithm, attestation) => {
    const { accessToken } = await auth.given.session()
    const authenticator = createAuthenticator(algorithm)

    const answer = await passkeys.register(accessToken, authenticator, { attestation })

    expect(answer).toMatchObject({ status: 200, body: { friendly_name: 'Passkey' } })
    expect(await passkeys.signIn(authenticator)).toMatchObject({ status: 200 })
  })

  it('stores the properties of the authenticator', async () => {
    const { id, user, authenticator } = await passkeys.holder()

    const [row] = await auth.rows('select * from auth.passkeys where id = $1', [id])

    expect(row).toMatchObject({
      user_id: user.id,
      credential_id: authenticator.credentialId,
      transports: ['internal', 'hybrid'],
      attestation_format: 'none',
      aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349',
      backup_eligible: true,
      backed_up: true,
      last_used_at: null,
    })
  })

  it.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example.test' }],
    ['another relying party', { rpId: 'example.test' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['a response to a sign-in', { type: 'webauthn.get' }],
    ['no user verification', { userVerified: false }],
    ['no user presence', { userPresent: false }],
    ['a wrong signature of the attestation', { attestation: 'packed, wrongly signed' }],
    ['an attestation of nothing with a statement', { attestation: 'none, with a statement' }],
    ['an attestation of a format that was not requested', { attestation: 'apple' }],
    [
      'a backup of a credential that cannot be backed up',
      { backupEligible: false, backedUp: true },
    ],
  ])('rejects %s', async (_, deviations) => {
    const { accessToken } = await auth.given.session()

    const answer = await passkeys.register(accessToken, createAuthenticator(), deviations)

    expect(answer).toMatchObject(refused)
    expect(await listOf(accessToken)).toEqual([])
  })

  it('rejects a challenge that was already used, also by a failed attempt', async () => {
    const { accessToken } = await auth.given.session()
    const begun = await passkeys.begin(accessToken)
    const create = (deviations: Deviations = {}) =>
      createAuthenticator().create(begun.body.options, deviations)

    const wrong = create({ userVerified: false })
    expect(await passkeys.finish(accessToken, begun, wrong)).toMatchObject(refused)
    expect(await passkeys.finish(accessToken, begun, create())).toMatchObject(unknownChallenge)
  })

  it('rejects the challenge of another user, which stays valid for that user', async () => {
    const ada = await auth.given.session()
    const grace = await auth.given.session()
    const begun = await passkeys.begin(ada.accessToken)
    const credential = createAuthenticator().create(begun.body.options)

    const stolen = await passkeys.finish(grace.accessToken, begun, credential)

    expect(stolen).toMatchObject(unknownChallenge)
    expect(await passkeys.finish(ada.accessToken, begun, credential)).toMatchObject({ status: 200 })
  })

  it('rejects the challenge of another session of the same user', async () => {
    const { user, accessToken } = await auth.given.session()
    const other = await secondFactors(auth).signIn(user.email)
    const begun = await passkeys.begin(accessToken)
    const credential = createAuthenticator().create(begun.body.options)

    expect(await passkeys.finish(other.accessToken, begun, credential)).toMatchObject(
      unknownChallenge,
    )
  })

  it('rejects a challenge for a sign-in', async () => {
    const { accessToken } = await auth.given.session()
    const requested = await passkeys.ask()
    const { challenge, rpId } = requested.body.options
    const credential = createAuthenticator().create({
      challenge,
      rp: { id: rpId },
      user: { id: 'AA' },
    })

    expect(await passkeys.finish(accessToken, requested, credential)).toMatchObject(
      unknownChallenge,
    )
  })

  it('rejects a challenge that has expired', async () => {
    const { accessToken } = await auth.given.session()
    const begun = await passkeys.begin(accessToken)
    auth.clock.advance(300)

    const answer = await passkeys.finish(
      accessToken,
      begun,
      createAuthenticator().create(begun.body.options),
    )

    expect(answer).toMatchObject({
      status: 400,
      body: { error_code: 'webauthn_challenge_expired' },
    })
  })

  it('rejects a credential that is already registered', async () => {
    const { authenticator } = await passkeys.holder()
    const { accessToken } = await auth.given.session()

    const answer = await passkeys.register(accessToken, authenticator)

    expect(answer).toMatchObject({
      status: 422,
      body: {
        error_code: 'webauthn_credential_exists',
        msg: 'This credential is already registered',
      },
    })
    expect(await listOf(accessToken)).toEqual([])
  })

  it('accepts one of 50 responses to the same challenge', async () => {
    const { accessToken } = await auth.given.session()
    const begun = await passkeys.begin(accessToken)

    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        passkeys.finish(accessToken, begun, createAuthenticator().create(begun.body.options)),
      ),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await listOf(accessToken)).toHaveLength(1)
  })

  it('enforces the maximum of each user, also for 50 concurrent requests', async () => {
    const { accessToken } = await auth.given.session()
    const begun = await Promise.all(Array.from({ length: 50 }, () => passkeys.begin(accessToken)))

    const answers = await Promise.all(
      begun.map((one) =>
        passkeys.finish(accessToken, one, createAuthenticator().create(one.body.options)),
      ),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers).toContainEqual(expect.objectContaining({ status: 422 }))
    expect(await listOf(accessToken)).toHaveLength(3)
    expect(await passkeys.begin(accessToken)).toMatchObject(tooMany)
  })

  it('rejects a session that has not proved the second factor, also one enrolled since', async () => {
    const { user, accessToken } = await auth.given.session()
    const begun = await passkeys.begin(accessToken)
    const credential = createAuthenticator().create(begun.body.options)
    const factors = secondFactors(auth)
    const other = await factors.signIn(user.email)
    const app = await factors.enrolledApp(other.accessToken)
    const { body: strong } = await factors.prove(other.accessToken, app)
    const weak = await factors.signIn(user.email)

    const rejection = {
      status: 403,
      body: {
        error_code: 'insufficient_aal',
        msg: 'AAL2 session is required to manage passkeys when MFA is enabled',
      },
    }
    expect(await passkeys.begin(weak.accessToken)).toMatchObject(rejection)
    expect(await passkeys.finish(weak.accessToken, begun, credential)).toMatchObject(rejection)
    const { body: made } = await passkeys.register(strong.access_token)
    const path = `/passkeys/${made.id}`
    expect(await auth.request('DELETE', path, { token: weak.accessToken })).toMatchObject(rejection)
    expect(await auth.request('DELETE', path, { token: strong.access_token })).toMatchObject({
      status: 204,
    })
  })

  it('rejects a token without a session, as second factors do', async () => {
    const { user, id } = await passkeys.holder()
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated', role: 'authenticated' })

    const begun = await passkeys.begin(token)
    const finished = await passkeys.finish(token, { ...begun, body: { challenge_id: id } }, {})
    const removed = await auth.request('DELETE', `/passkeys/${id}`, { token })

    for (const answer of [begun, finished, removed]) {
      expect(answer).toMatchObject({ status: 403, body: { error_code: 'session_not_found' } })
    }
    expect(await listOf(token)).toHaveLength(1)
  })

  it('rejects users of single sign-on', async () => {
    const { user, accessToken } = await auth.given.session()
    await auth.rows('update auth.users set is_sso_user = true where id = $1', [user.id])

    expect(await passkeys.begin(accessToken)).toMatchObject({
      status: 422,
      body: { error_code: 'validation_failed', msg: 'SSO users cannot register passkeys' },
    })
  })

  it('rejects a session that has ended since', async () => {
    const { user, accessToken } = await auth.given.session()
    const begun = await passkeys.begin(accessToken)
    await auth.auth.admin.signOut(user.id)

    const credential = createAuthenticator().create(begun.body.options)
    const answer = await passkeys.finish(accessToken, begun, credential)

    expect(answer).toMatchObject({ status: 403, body: { error_code: 'session_not_found' } })
  })
})
