import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import {
  discoveryPath,
  type IssuerKey,
  issuerKey,
  keysPath,
  type OpenIdIssuer,
  signAs,
  startOpenIdIssuer,
} from '../../../test/support/openid-issuer.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { oidc } from '../../credentials/external/oidc.ts'

const key = issuerKey('ES256', 'key-1')
let issuer: OpenIdIssuer
let auth: MessagingAuth

beforeAll(async () => {
  issuer = await startOpenIdIssuer([key])
  const client = { issuer: issuer.issuer, clientId: ['app', 'app-ios'], clientSecret: 'secret' }
  auth = await startMessagingAuth({
    security: { manualLinkingEnabled: true },
    providers: {
      acme: oidc({ ...client, label: 'Acme' }),
      closed: oidc({ ...client, signUpDisabled: true }),
    },
  })
})
afterAll(async () => {
  await auth.close()
  await issuer.close()
})

let count = 0
const newPerson = () => {
  const number = ++count
  return {
    sub: `acme-${number}`,
    email: `ann-${number}@example.test`,
    email_verified: true,
    name: 'Ann',
  }
}

function tokenOf(claims: object, by: IssuerKey = key): string {
  const now = Math.floor(auth.clock.now().getTime() / 1000)
  return signAs(by, { iss: issuer.issuer, aud: 'app', iat: now, exp: now + 600, ...claims })
}

const grant = (body: object, apiVersion?: string) =>
  auth.post(
    '/token?grant_type=id_token',
    { provider: 'acme', ...body },
    apiVersion === undefined ? {} : { headers: { 'x-supabase-api-version': apiVersion } },
  )

describe('an id token for linking', () => {
  const link = (id_token: string, token?: string) =>
    auth.post(
      '/token?grant_type=id_token',
      { provider: 'acme', id_token, link_identity: true },
      { token },
    )

  it('links the identity to the signed-in user, once', async () => {
    const { user, accessToken } = await auth.given.session()
    const idToken = tokenOf(newPerson())
    const linked = await link(idToken, accessToken)
    const again = await link(idToken, accessToken)

    expect([linked.status, linked.body.user.id]).toEqual([200, user.id])
    expect(linked.body.user.app_metadata.providers).toEqual(['email', 'acme'])
    expect([again.status, again.body.error_code]).toEqual([422, 'identity_already_exists'])
  })

  it('links nothing without a valid token, or if the identity belongs to another user', async () => {
    const [ann, bob] = [await auth.given.session(), await auth.given.session()]
    const idToken = tokenOf(newPerson())
    const without = await link(idToken)
    const bad = await link(idToken, 'no.good.token')
    await link(idToken, ann.accessToken)
    const stolen = await link(idToken, bob.accessToken)

    expect([without.status, without.body.error]).toEqual([400, 'invalid request'])
    expect([bad.status, bad.body.error_code]).toEqual([403, 'bad_jwt'])
    expect([stolen.status, stolen.body.error_code]).toEqual([422, 'identity_already_exists'])
  })

  it('is accepted in code, too', async () => {
    const { user, accessToken } = await auth.given.session()
    const signedIn = await auth.auth.api.signInWithIdToken({
      provider: 'acme',
      idToken: tokenOf(newPerson()),
      linkIdentity: true,
      accessToken,
    })
    expect(signedIn.user.id).toBe(user.id)
  })
})

describe('S04: an id token without a nonce', () => {
  const spent = [400, 'Bad ID token']
  const resultOf = ({ status, body }: Awaited<ReturnType<typeof grant>>) => [
    status,
    body.error_description,
  ]

  it('signs in once, by the fastest of its requests', async () => {
    const id_token = tokenOf(newPerson())

    const answers = await Promise.all(Array.from({ length: 6 }, () => grant({ id_token })))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    expect(resultOf(await grant({ id_token }))).toEqual(spent)
    const rows = await auth.rows('select * from auth.spent_id_tokens where token_hash = $1', [
      createHash('sha256')
        .update(id_token.slice(0, id_token.lastIndexOf('.')))
        .digest('hex'),
    ])
    const { exp } = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString())
    expect(rows).toHaveLength(1)
    expect(new Date(String(rows[0]?.['expires_at'])).getTime()).toBe(exp * 1000)
  })

  it('is consumed in another spelling, by another signature and at a provider with the same issuer', async () => {
    const person = newPerson()
    const id_token = tokenOf(person)
    expect((await grant({ id_token })).status).toBe(200)
    const signature = id_token.split('.')[2] ?? ''
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
    const raw = Buffer.from(signature, 'base64url')
    const s = order - BigInt(`0x${raw.subarray(32).toString('hex')}`)
    const other = Buffer.concat([
      raw.subarray(0, 32),
      Buffer.from(s.toString(16).padStart(64, '0'), 'hex'),
    ]).toString('base64url')
    const malleable = `${id_token.slice(0, id_token.lastIndexOf('.'))}.${other}`

    expect(resultOf(await grant({ id_token: malleable }))).toEqual(spent)
    expect((await grant({ id_token: `${id_token}=` })).status).toBe(400)
    expect(resultOf(await grant({ id_token, provider: 'closed' }))).toEqual(spent)
    expect((await grant({ id_token: tokenOf({ ...person, jti: 'next' }) })).status).toBe(200)
  })

  it('links once, and does not sign in afterwards', async () => {
    const { accessToken: token } = await auth.given.session()
    const id_token = tokenOf(newPerson())
    const body = { provider: 'acme', id_token, link_identity: true }
    const linked = await auth.post('/token?grant_type=id_token', body, { token })
    expect(linked.status).toBe(200)

    expect(resultOf(await grant({ id_token }))).toEqual(spent)
    const identity = linked.body.user.identities.find(
      ({ provider }: { provider: string }) => provider === 'acme',
    )
    await auth.auth.api.unlinkIdentity({ accessToken: token, identityId: identity.identity_id })
    const again = await auth.post('/token?grant_type=id_token', body, { token })
    expect(resultOf(again)).toEqual(spent)
  })

  it('with a nonce signs in again', async () => {
    const nonce = createHash('sha256').update('raw').digest('hex')
    const body = { id_token: tokenOf({ ...newPerson(), nonce }), nonce: 'raw' }

    expect([(await grant(body)).status, (await grant(body)).status]).toEqual([200, 200])
  })
})

describe('S38: an id token without a nonce', () => {
  const now = () => Math.floor(auth.clock.now().getTime() / 1000)
  const [hour, day] = [3_600, 86_400]

  it('is stored for a day after its issue at most, however long it is valid', async () => {
    const iat = now() - hour
    const id_token = tokenOf({ ...newPerson(), iat, exp: 253_402_300_799 })

    expect((await grant({ id_token })).status).toBe(200)

    const rows = await auth.rows('select max(expires_at) as last from auth.spent_id_tokens')
    expect(new Date(String(rows[0]?.['last'])).getTime()).toBe((iat + day) * 1000)
  })

  it.each([
    ['older than a day', () => ({ iat: now() - day, exp: now() + day })],
    [
      'that does not specify its issue and is valid for longer',
      () => ({ iat: undefined, exp: now() + 2 * day }),
    ],
  ])('%s is rejected, and nothing is stored', async (_, times) => {
    const answer = await grant({ id_token: tokenOf({ ...newPerson(), ...times() }) })

    expect([answer.status, answer.body.error_description]).toEqual([400, 'Bad ID token'])
    const rows = await auth.rows('select 1 from auth.spent_id_tokens where expires_at > $1', [
      new Date((now() + day) * 1000),
    ])
    expect(rows).toEqual([])
  })

  it('that does not specify its issue is accepted where it is valid for a day at most', async () => {
    const id_token = tokenOf({ ...newPerson(), iat: undefined, exp: now() + hour })

    expect((await grant({ id_token })).status).toBe(200)
  })

  it('does not limit the age of tokens with one', async () => {
    const nonce = createHash('sha256').update('raw').digest('hex')
    const times = { iat: now() - 2 * day, exp: now() + day }

    const answer = await grant({
      id_token: tokenOf({ ...newPerson(), ...times, nonce }),
      nonce: 'raw',
    })
    expect(answer.status).toBe(200)
  })
})

describe('a sign-in by id token', () => {
  it('opens a session and creates an account', async () => {
    const person = newPerson()

    const { status, body } = await grant({ id_token: tokenOf(person) })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      token_type: 'bearer',
      user: {
        email: person.email,
        app_metadata: { provider: 'acme', providers: ['acme'] },
        user_metadata: { name: 'Ann', sub: person.sub, email_verified: true },
        identities: [{ provider: 'acme', id: person.sub }],
      },
    })
    expect(body).not.toHaveProperty('provider_token')
    const claims = await auth.auth.verifyToken(body.access_token)
    expect(claims).toMatchObject({ amr: [{ method: 'oauth' }], aal: 'aal1' })
    expect((await auth.get('/user', { token: body.access_token })).status).toBe(200)
  })

  it('finds the same account again, from any client of the provider', async () => {
    const person = newPerson()
    const first = await grant({ id_token: tokenOf(person) })

    const second = await grant({ id_token: tokenOf({ ...person, aud: 'app-ios', name: 'Ann B' }) })

    expect(second.body.user.id).toBe(first.body.user.id)
    expect(second.body.user.identities).toHaveLength(1)
    expect(second.body.user.user_metadata.name).toBe('Ann B')
  })

  it('joins the account whose address both sides have verified', async () => {
    const { id, email } = await auth.given.user()

    const { body } = await grant({ id_token: tokenOf({ ...newPerson(), email }) })

    expect(body.user.id).toBe(id)
    expect(
      (await auth.post('/token?grant_type=password', { email, password: testPassword })).status,
    ).toBe(200)
  })

  it('rejects an address that the provider has not verified', async () => {
    const { email } = await auth.given.user()
    const unverified = { ...newPerson(), email, email_verified: false }
    const fresh = { ...newPerson(), email_verified: 'true' }

    const taken = await grant({ id_token: tokenOf(unverified) })
    const unproved = await grant({ id_token: tokenOf(fresh) })

    expect(taken.body.error_code).not.toBeUndefined()
    expect([taken.status, unproved.status]).toEqual([422, 422])
    expect(unproved.body).toMatchObject({
      error_code: 'provider_email_needs_verification',
      msg: expect.stringContaining('Unverified email with Acme'),
    })
  })

  it('creates no account where sign-ups of the provider are disabled', async () => {
    const { body } = await grant({ provider: 'closed', id_token: tokenOf(newPerson()) })

    expect(body.error_code).toBe('signup_disabled')
  })

  it('is rejected for a banned user', async () => {
    const person = newPerson()
    const { body } = await grant({ id_token: tokenOf(person) })
    await auth.auth.admin.banUser(body.user.id, { duration: '1h' })

    const next = tokenOf({ ...person, jti: 'next' })
    expect((await grant({ id_token: next })).body.error_code).toBe('user_banned')
  })

  it('works alike in auth.api', async () => {
    const person = newPerson()
    const nonce = createHash('sha256').update('raw').digest('hex')
    const idToken = tokenOf({ ...person, nonce, at_hash: 'AAAA' })

    const signIn = (providerAccessToken?: string) =>
      auth.auth.api.signInWithIdToken({
        provider: 'acme',
        idToken,
        nonce: 'raw',
        providerAccessToken,
      })

    expect((await signIn()).user.email).toBe(person.email)
    await expect(signIn('access')).rejects.toMatchObject({
      code: 'invalid_credentials',
      status: 400,
      message: 'Bad ID token',
    })
  })

  it.each([undefined, '2024-01-01'])(
    'is rejected in the form of OAuth, with any version in the request (%s)',
    async (version) => {
      const refused = [
        await grant({}, version),
        await grant({ id_token: 'a.b.c' }, version),
        await grant({ id_token: tokenOf(newPerson()), nonce: 'raw' }, version),
        await grant({ id_token: tokenOf({ ...newPerson(), nonce: 'x' }), nonce: 'raw' }, version),
      ]

      expect(refused.map(({ status, body }) => [status, body])).toEqual(
        [
          ['invalid request', 'id_token required'],
          ['invalid request', 'Bad ID token'],
          [
            'invalid request',
            'Passed nonce and nonce in id_token should either both exist or not.',
          ],
          ['invalid nonce', 'Nonces mismatch'],
        ].map(([error, error_description]) => [
          400,
          { error, error_description, request_id: expect.any(String) },
        ]),
      )
    },
  )

  it('is rejected without a fault, for any content of a field', async () => {
    const odd = [{ id_token: 5 }, { id_token: ['x'] }, { provider: {} }, { nonce: false }]

    const answers = await Promise.all(odd.map((fields) => grant({ id_token: 'x', ...fields })))

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  })

  it('is rejected without a fault, where the subject of the token cannot be stored', async () => {
    const subjects = ['\0', 'a\ud800', 'x'.repeat(256)]

    const answers = await Promise.all(
      subjects.map((sub) => grant({ id_token: tokenOf({ ...newPerson(), sub }) })),
    )

    expect(answers.map(({ status, body }) => [status, body.error_description])).toEqual(
      subjects.map(() => [400, 'Bad ID token']),
    )
  })

  it('T12: does not cause repeated requests to an issuer', async () => {
    await grant({ id_token: tokenOf(newPerson()) })
    issuer.heard.length = 0
    const otherKeys = Array.from({ length: 10 }, (_, index) => issuerKey('ES256', `no-${index}`))

    await Promise.all(
      otherKeys.map((otherKey) => grant({ id_token: tokenOf(newPerson(), otherKey) })),
    )
    auth.clock.advance(61)
    await Promise.all(
      otherKeys.map((otherKey) => grant({ id_token: tokenOf(newPerson(), otherKey) })),
    )

    expect(issuer.requestsOf(keysPath)).toBe(1)
    expect(issuer.requestsOf(discoveryPath)).toBe(0)
  })

  it('opens one account for two concurrent sign-ins of one identity', async () => {
    const person = newPerson()

    const answers = await Promise.all(
      [1, 2, 3].map((jti) => grant({ id_token: tokenOf({ ...person, jti }) })),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
  })
})
