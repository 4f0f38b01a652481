import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator, type Deviations } from '../../../test/support/authenticator.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import {
  plainKey,
  type SecurityKeys,
  securityKeysOf,
  withSecurityKeys,
} from '../../../test/support/security-keys.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { SendEmailPayload } from '../../platform/config/sections/hooks.ts'

let auth: TestAuth
let factors: SecondFactors
let keys: SecurityKeys
const received: SendEmailPayload[] = []

beforeAll(async () => {
  auth = await startTestAuth({
    ...withSecurityKeys,
    passkeys: { enabled: true },
    email: { notifications: { mfaFactorEnrolled: true, mfaFactorUnenrolled: true } },
    hooks: { sendEmail: (payload) => void received.push(payload as SendEmailPayload) },
  })
  factors = secondFactors(auth)
  keys = securityKeysOf(auth)
})
afterAll(() => auth.close())

const failed = [422, 'mfa_verification_failed']
const unknown = [422, 'mfa_factor_not_found']

const optionsOf = ({ body }: Answer) => body.webauthn.credential_options.publicKey

/** Creates another session of a user, at aal1. */
const signInAgain = async (email: string | null) => (await factors.signIn(email)).accessToken

describe('an enrolled security key', () => {
  it('starts without a secret, with a challenge that requests a credential', async () => {
    const { user, accessToken: token } = await auth.given.session()
    const begun = await factors.enroll(token, { factor_type: 'webauthn', friendly_name: 'key' })

    const requested = await keys.ask(token, begun.body.id)

    expect(begun.body).toEqual({ id: expect.any(String), type: 'webauthn', friendly_name: 'key' })
    const seconds = auth.clock.now().getTime() / 1000
    expect(requested.body).toEqual({
      id: expect.any(String),
      type: 'webauthn',
      expires_at: seconds + 300,
      webauthn: { type: 'create', credential_options: { publicKey: expect.any(Object) } },
    })
    expect(optionsOf(requested)).toEqual({
      rp: { id: 'app.example.test', name: 'app.example.test' },
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
      authenticatorSelection: {},
    })
  })

  it.each(['ES256', 'RS256', 'EdDSA'] as const)(
    'by %s raises the session, and does so again in the next one',
    async (algorithm) => {
      const holder = await keys.holder(algorithm, { signCount: 1 })
      const token = await signInAgain(holder.user.email)
      const { factorId, authenticator } = holder

      const requested = await keys.ask(token, factorId)
      const credential = authenticator.get(optionsOf(requested), { ...plainKey, signCount: 2 })
      const proved = await keys.answer(token, factorId, requested, credential)

      const timestamp = auth.clock.now().getTime() / 1000
      expect(optionsOf(requested)).toEqual({
        challenge: expect.any(String),
        timeout: 300_000,
        rpId: 'app.example.test',
        allowCredentials: [
          { type: 'public-key', id: authenticator.credentialId, transports: ['usb', 'nfc'] },
        ],
      })
      const [before, after] = [claimsIn(token), claimsIn(proved.body.access_token)]
      expect([proved.status, before.aal, after.aal]).toEqual([200, 'aal1', 'aal2'])
      expect(after.amr).toEqual([{ method: 'mfa/webauthn', timestamp }, ...(before.amr ?? [])])
      const factor = { id: factorId, factor_type: 'webauthn', status: 'verified' }
      expect(proved.body.user.factors).toMatchObject([factor])
      const shown = await auth.get('/user', { token: proved.body.access_token })
      expect(shown.body).toEqual(proved.body.user)
      expect(JSON.stringify(shown.body)).not.toContain(authenticator.credentialId)
    },
  )

  it.each([
    ['none', 'd548826e-79b4-db40-a3d8-11116f7e8349'],
    ['packed', 'd548826e-79b4-db40-a3d8-11116f7e8349'],
    ['fido-u2f', undefined],
  ] as const)('may contain an attestation of the format %s', async (attestation, aaguid) => {
    const { accessToken: token } = await auth.given.session()
    const factorId = await keys.enroll(token)

    const made = await keys.register(token, factorId, createAuthenticator(), { attestation })

    expect(made.status).toBe(200)
    expect(made.body.user.factors[0].web_authn_aaguid).toBe(aaguid)
    const shown = await auth.get('/user', { token: made.body.access_token })
    expect(shown.body).toEqual(made.body.user)
  })

  it.each<[string, Deviations]>([
    ['of another origin', { origin: 'https://evil.example.test' }],
    ['of another relying party', { rpId: 'example.test' }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['that is an assertion', { type: 'webauthn.get' }],
    ['without the user', { userPresent: false }],
    ['with a wrong attestation', { attestation: 'packed, wrongly signed' }],
    ['with a forged attestation', { attestation: 'fido-u2f, wrongly signed' }],
    ['with a statement for the format none', { attestation: 'none, with a statement' }],
    ['with an attestation that needs an external look-up', { attestation: 'apple' }],
    ['that is backed up and cannot be', { backedUp: true }],
  ])('is not enrolled by a registration %s', async (_, deviations) => {
    const { accessToken: token } = await auth.given.session()
    const factorId = await keys.enroll(token)

    const made = await keys.register(token, factorId, createAuthenticator(), deviations)

    expect(statusAndCode(made)).toEqual(failed)
    const { body } = await auth.get('/user', { token })
    expect(body.factors).toMatchObject([{ id: factorId, status: 'unverified' }])
  })

  it('causes a mail, as its removal does', async () => {
    const { outbox } = await auth.deps()
    const { accessToken: token, factorId, user } = await keys.holder()
    // Mails are sent at the same time: the first one arrives before the second is stored.
    await outbox.settled()
    await factors.unenroll(token, factorId)
    await outbox.settled()

    const own = received.filter((one) => one.user.email === user.email)
    expect(own.map(({ email_data: data }) => [data.email_action_type, data.factor_type])).toEqual([
      ['mfa_factor_enrolled_notification', 'webauthn'],
      ['mfa_factor_unenrolled_notification', 'webauthn'],
    ])
  })

  it('is enrolled by one of two concurrent registrations', async () => {
    const { accessToken: token } = await auth.given.session()
    const factorId = await keys.enroll(token)
    const requested = [await keys.ask(token, factorId), await keys.ask(token, factorId)]

    const made = await Promise.all(
      requested.map((one) =>
        keys.answer(token, factorId, one, createAuthenticator().create(optionsOf(one), plainKey)),
      ),
    )

    expect(made.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})

describe('a credential that is already enrolled', () => {
  const known = [422, 'webauthn_credential_exists']

  it('is not accepted as another second factor', async () => {
    const holder = await keys.holder()
    const other = await auth.given.session()
    for (const token of [holder.accessToken, other.accessToken]) {
      const factorId = await keys.enroll(token, 'copy')

      const made = await keys.register(token, factorId, holder.authenticator)

      expect(statusAndCode(made)).toEqual(known)
      expect(await factors.unenroll(token, factorId)).toMatchObject({ status: 200 })
    }
  })

  it('belongs to one of two users who enroll it concurrently', async () => {
    const authenticator = createAuthenticator()
    const made = await Promise.all(
      [await auth.given.session(), await auth.given.session()].map(async ({ accessToken }) =>
        keys.register(accessToken, await keys.enroll(accessToken), authenticator),
      ),
    )

    expect(made.map(statusAndCode).sort()).toEqual([[200, undefined], known])
  })

  it('is either a passkey or a second factor', async () => {
    const passkeys = passkeysOf(auth)
    const passkey = await passkeys.holder()
    const factorId = await keys.enroll(passkey.accessToken)
    const key = await keys.holder()

    const asFactor = await keys.register(passkey.accessToken, factorId, passkey.authenticator)
    const asPasskey = await passkeys.register(key.accessToken, key.authenticator)

    expect([statusAndCode(asFactor), statusAndCode(asPasskey)]).toEqual([known, known])
  })
})

describe('a signature of a security key', () => {
  it.each<[string, Deviations]>([
    ['at another origin', { origin: 'https://evil.example.test' }],
    ['to another relying party', { rpId: 'example.test' }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['as if it were new', { type: 'webauthn.create' }],
    ['without the user', { userPresent: false }],
    [
      'with the user handle of another user',
      { userHandle: Buffer.from('somebody').toString('base64url') },
    ],
    ['by a client without the key', { forged: true }],
    ['by a copy that counts less', { signCount: 6 }],
    ['by a copy that counts the same', { signCount: 7 }],
    ['by a copy that does not count', { signCount: 0 }],
    ['by another kind of authenticator', { backupEligible: true }],
  ])('%s proves nothing, and consumes the challenge', async (_, deviations) => {
    const { user, factorId, authenticator } = await keys.holder('ES256', { signCount: 7 })
    const token = await signInAgain(user.email)
    const requested = await keys.ask(token, factorId)
    const right = { ...plainKey, signCount: 8 }
    const answer = (change: Deviations = {}) => {
      const credential = authenticator.get(optionsOf(requested), { ...right, ...change })
      return keys.answer(token, factorId, requested, credential)
    }

    expect(statusAndCode(await answer(deviations))).toEqual(failed)
    expect(statusAndCode(await answer())).toEqual(failed)
    expect((await keys.prove(token, factorId, authenticator, { signCount: 8 })).status).toBe(200)
  })

  it('may verify the user and return the user handle', async () => {
    const { user, factorId, authenticator } = await keys.holder()
    const token = await signInAgain(user.email)
    const { userHandle: _, ...received } = { ...plainKey, userVerified: true }
    const requested = await keys.ask(token, factorId)

    const credential = authenticator.get(optionsOf(requested), received)

    expect((await keys.answer(token, factorId, requested, credential)).status).toBe(200)
  })

  it('is stored with its signature counter', async () => {
    const { user, factorId, authenticator } = await keys.holder('ES256', { signCount: 7 })
    const token = await signInAgain(user.email)
    await keys.prove(token, factorId, authenticator, { signCount: 9 })

    const rows = await auth.rows('select sign_count from auth.factors where id = $1', [factorId])

    expect(rows).toEqual([{ sign_count: '9' }])
    const copied = await signInAgain(user.email)
    expect(
      statusAndCode(await keys.prove(copied, factorId, authenticator, { signCount: 8 })),
    ).toEqual(failed)
  })

  it('signs in once when two concurrent responses have the same counter', async () => {
    const { user, factorId, authenticator } = await keys.holder('ES256', { signCount: 1 })
    const tokens = [await signInAgain(user.email), await signInAgain(user.email)]
    // Both challenges exist before the first proof, which may end the other session.
    const challenges = await Promise.all(
      tokens.map(async (token) => ({ token, requested: await keys.ask(token, factorId) })),
    )

    const proofs = challenges.map(({ token, requested }) => {
      const credential = authenticator.get(optionsOf(requested), { ...plainKey, signCount: 2 })
      return keys.answer(token, factorId, requested, credential)
    })
    const statuses = (await Promise.all(proofs)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  it('is accepted for one of 50 requests with one challenge', async () => {
    const { user, factorId, authenticator } = await keys.holder()
    const token = await signInAgain(user.email)
    const requested = await keys.ask(token, factorId)
    const credential = authenticator.get(optionsOf(requested), plainKey)

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => keys.answer(token, factorId, requested, credential)),
    )

    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 403, 422, 429, 503].includes(status))).toBe(true)
  })

  it('may be another key of the same user, which is then the proved factor', async () => {
    const first = await keys.holder()
    const secondId = await keys.enroll(first.accessToken, 'second')
    const second = createAuthenticator()
    const both = await keys.register(first.accessToken, secondId, second)
    const requested = await keys.ask(both.body.access_token, first.factorId)

    const token = await signInAgain(first.user.email)
    const proved = await keys.prove(token, first.factorId, second)

    expect(optionsOf(requested).allowCredentials).toHaveLength(2)
    expect(proved.status).toBe(200)
    const { session_id: sessionId } = claimsIn(proved.body.access_token)
    const rows = await auth.rows('select factor_id from auth.sessions where id = $1', [sessionId])
    expect(rows).toEqual([{ factor_id: secondId }])
  })

  it('is rejected with the challenge, factor or credential of another user', async () => {
    const [victim, thief] = [await keys.holder(), await keys.holder()]
    const token = await signInAgain(thief.user.email)
    const own = await signInAgain(victim.user.email)
    const requested = await keys.ask(own, victim.factorId)
    const right = victim.authenticator.get(optionsOf(requested), plainKey)
    const stolen = thief.authenticator.get(optionsOf(requested), plainKey)

    const answers = [
      await keys.ask(token, victim.factorId),
      await keys.answer(token, victim.factorId, requested, right),
      await keys.answer(token, thief.factorId, requested, right),
      await keys.answer(token, thief.factorId, requested, stolen),
      await keys.prove(token, thief.factorId, victim.authenticator),
      await factors.unenroll(token, victim.factorId),
    ]

    const missing = [404, 'mfa_factor_not_found']
    expect(answers.map(statusAndCode)).toEqual([
      missing,
      missing,
      unknown,
      unknown,
      failed,
      missing,
    ])
    expect((await keys.answer(own, victim.factorId, requested, right)).status).toBe(200)
  })

  it('is accepted only in the session and for the factor of the challenge', async () => {
    const { user, factorId, authenticator, accessToken } = await keys.holder()
    const otherId = await keys.enroll(accessToken, 'other')
    const other = createAuthenticator()
    await keys.register(accessToken, otherId, other)
    const [token, elsewhere] = [await signInAgain(user.email), await signInAgain(user.email)]
    const requested = await keys.ask(token, factorId)
    const credential = authenticator.get(optionsOf(requested), plainKey)

    expect(statusAndCode(await keys.answer(elsewhere, factorId, requested, credential))).toEqual(
      unknown,
    )
    expect(statusAndCode(await keys.answer(token, otherId, requested, credential))).toEqual(unknown)
    expect((await keys.answer(token, factorId, requested, credential)).status).toBe(200)
  })

  it('is rejected after five minutes', async () => {
    const { user, factorId, authenticator } = await keys.holder()
    const token = await signInAgain(user.email)
    const requested = await keys.ask(token, factorId)
    auth.clock.advance(300)

    const credential = authenticator.get(optionsOf(requested), plainKey)

    expect(statusAndCode(await keys.answer(token, factorId, requested, credential))).toEqual([
      422,
      'mfa_challenge_expired',
    ])
  })

  it('is not accepted as a code, nor a code as a signature', async () => {
    const { accessToken, factorId } = await keys.holder()
    const requested = await keys.ask(accessToken, factorId)
    const app = await factors.enrolledApp(accessToken, 'app')
    const challengeId = await factors.challenge(accessToken, app.id)
    const verify = (id: string, body: object) =>
      auth.post(`/factors/${id}/verify`, body, { token: accessToken })

    const refused = [
      await verify(factorId, { challenge_id: requested.body.id, code: '123456' }),
      await verify(factorId, { challenge_id: requested.body.id, webauthn: {} }),
      await verify(factorId, { challenge_id: requested.body.id, webauthn: { type: 'request' } }),
      await verify(factorId, {
        challenge_id: requested.body.id,
        webauthn: { type: 'request', credential_response: { id: 'a' } },
      }),
      await verify(app.id, { challenge_id: challengeId, webauthn: { type: 'request' } }),
    ]

    expect(refused.map(statusAndCode)).toEqual(refused.map(() => [400, 'validation_failed']))
    expect(refused.map(({ body }) => body.msg)).toEqual([
      'webauthn: WebAuthn config required',
      'webauthn: WebAuthn type must be create or request',
      'webauthn: credential_response required',
      'webauthn: Invalid credential_response',
      'code: Code needs to be non-empty',
    ])
  })

  it('is not registered again', async () => {
    const { accessToken: token, factorId } = await keys.holder()
    const requested = await keys.ask(token, factorId)
    const options = { rp: { id: 'app.example.test' }, user: { id: '' }, ...optionsOf(requested) }
    const credential = createAuthenticator().create(options, plainKey)
    const body = { type: 'create', credential_response: credential }

    const answer = await auth.post(
      `/factors/${factorId}/verify`,
      { challenge_id: requested.body.id, webauthn: body },
      { token },
    )

    expect(statusAndCode(answer)).toEqual(failed)
  })

  it('T09: raises no session by a refresh token from before', async () => {
    const { weak, accessToken } = await keys.holder()

    const renewed = await factors.refresh(weak.refreshToken)

    expect(statusAndCode(renewed)).toEqual([400, 'refresh_token_already_used'])
    expect((await auth.get('/user', { token: accessToken })).status).toBe(403)
  })

  it('T30, T32: raises a session only for tokens issued afterwards', async () => {
    const { weak, accessToken, user } = await keys.holder()
    const viewer = await auth.auth.requireUser(
      new Request('http://host', { headers: { authorization: `Bearer ${weak.accessToken}` } }),
    )

    expect([viewer.aal, claimsIn(accessToken).aal]).toEqual(['aal1', 'aal2'])
    const change = { password: 'another horse' }
    const refused = await auth.put('/user', change, { token: weak.accessToken })
    expect(statusAndCode(refused)).toEqual([401, 'insufficient_aal'])
    expect(claimsIn(await signInAgain(user.email)).aal).toBe('aal1')
  })

  it('removes the assurance that it proved', async () => {
    const { accessToken, refreshToken, factorId } = await keys.holder()

    await factors.unenroll(accessToken, factorId)

    const { body } = await factors.refresh(refreshToken)
    const { aal, amr } = claimsIn(body.access_token)
    expect([aal, amr?.map(({ method }) => method)]).toEqual(['aal1', ['password']])
  })
})

describe('auth.api', () => {
  it('enrolls and verifies a security key', async () => {
    const { accessToken } = await auth.given.session()
    const { api, admin } = auth.auth
    const authenticator = createAuthenticator()
    const { id: factorId, ...begun } = await api.enrollFactor({
      accessToken,
      factorType: 'webauthn',
    })
    const requested = await api.challengeFactor({ accessToken, factorId })
    if (requested.webAuthn?.type !== 'create') throw new Error('a registration was expected')

    const { session, user } = await api.verifyFactor({
      accessToken,
      factorId,
      challengeId: requested.id,
      webAuthn: {
        type: 'create',
        credential: authenticator.create(requested.webAuthn.options, plainKey),
      },
    })

    expect(begun).toMatchObject({ factorType: 'webauthn', totp: null, phone: null })
    expect((await auth.auth.verifyToken(session.accessToken)).aal).toBe('aal2')
    expect(await admin.listFactors(user.id)).toMatchObject([{ id: factorId, status: 'verified' }])
    await admin.deleteFactor(user.id, factorId)
    expect(await admin.listFactors(user.id)).toEqual([])
  })
})

it('is enrolled, and cannot be verified, where only enrollment is enabled', async () => {
  const half = await startTestAuth({
    ...withSecurityKeys,
    mfa: { webAuthn: { enrollEnabled: true } },
  })
  const { accessToken: token } = await half.given.session()

  const factorId = await securityKeysOf(half).enroll(token)

  const requested = await securityKeysOf(half).ask(token, factorId)
  expect(statusAndCode(requested)).toEqual([422, 'mfa_webauthn_verify_not_enabled'])
  await half.close()
})
