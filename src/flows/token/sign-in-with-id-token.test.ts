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
import { oidc } from '../../providers/oidc.ts'

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

describe('an id token that links', () => {
  const link = (id_token: string, token?: string) =>
    auth.post(
      '/token?grant_type=id_token',
      { provider: 'acme', id_token, link_identity: true },
      { token },
    )

  it('joins the account of whoever is signed in, once', async () => {
    const { user, accessToken } = await auth.given.session()
    const idToken = tokenOf(newPerson())
    const linked = await link(idToken, accessToken)
    const again = await link(idToken, accessToken)

    expect([linked.status, linked.body.user.id]).toEqual([200, user.id])
    expect(linked.body.user.app_metadata.providers).toEqual(['email', 'acme'])
    expect([again.status, again.body.error_code]).toEqual([422, 'identity_already_exists'])
  })

  it('joins nobody without a token, with one that is no good, or by the token of somebody else', async () => {
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

  it('is there in code, too', async () => {
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

describe('a sign-in by id token', () => {
  it('opens a session and makes an account', async () => {
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

  it('lets nobody in by an address that the provider has not verified', async () => {
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

  it('makes no account where the provider may not', async () => {
    const { body } = await grant({ provider: 'closed', id_token: tokenOf(newPerson()) })

    expect(body.error_code).toBe('signup_disabled')
  })

  it('is refused to who is banned', async () => {
    const person = newPerson()
    const { body } = await grant({ id_token: tokenOf(person) })
    await auth.auth.admin.banUser(body.user.id, { duration: '1h' })

    expect((await grant({ id_token: tokenOf(person) })).body.error_code).toBe('user_banned')
  })

  it('has a twin in auth.api', async () => {
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
    'is refused in the form of OAuth, whatever version the client asks for (%s)',
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

  it('is refused, not failed, whatever a field holds', async () => {
    const odd = [{ id_token: 5 }, { id_token: ['x'] }, { provider: {} }, { nonce: false }]

    const answers = await Promise.all(odd.map((fields) => grant({ id_token: 'x', ...fields })))

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  })

  it('is refused, not failed, where the token names a subject that cannot be stored', async () => {
    const subjects = ['\0', 'a\ud800', 'x'.repeat(256)]

    const answers = await Promise.all(
      subjects.map((sub) => grant({ id_token: tokenOf({ ...newPerson(), sub }) })),
    )

    expect(answers.map(({ status, body }) => [status, body.error_description])).toEqual(
      subjects.map(() => [400, 'Bad ID token']),
    )
  })

  it('T12: is no way to make us ask an issuer again and again', async () => {
    await grant({ id_token: tokenOf(newPerson()) })
    issuer.heard.length = 0
    const strangers = Array.from({ length: 10 }, (_, index) => issuerKey('ES256', `no-${index}`))

    await Promise.all(
      strangers.map((stranger) => grant({ id_token: tokenOf(newPerson(), stranger) })),
    )
    auth.clock.advance(61)
    await Promise.all(
      strangers.map((stranger) => grant({ id_token: tokenOf(newPerson(), stranger) })),
    )

    expect(issuer.askedFor(keysPath)).toBe(1)
    expect(issuer.askedFor(discoveryPath)).toBe(0)
  })

  it('opens no two accounts for one person who comes in twice at once', async () => {
    const person = newPerson()

    const answers = await Promise.all([1, 2, 3].map(() => grant({ id_token: tokenOf(person) })))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
  })
})
