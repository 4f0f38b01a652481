import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth({ mfa: { maxEnrolledFactors: 3, phone: { enrollEnabled: true } } })
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const named = (friendly_name: string) => ({ factor_type: 'totp', friendly_name })
const factorsIn = async (token: string) => (await auth.get('/user', { token })).body.factors

describe('POST /factors', () => {
  it('returns the secret for an app, once', async () => {
    const { user, accessToken: token } = await auth.given.session()

    const { status, body } = await factors.enroll(token, { ...named('My app'), issuer: 'Acme' })

    expect([status, body]).toMatchObject([200, { type: 'totp', friendly_name: 'My app' }])
    const { secret, uri, qr_code: svg } = body.totp
    expect(uri).toBe(
      `otpauth://totp/Acme:${encodeURIComponent(user.email ?? '')}` +
        `?algorithm=SHA1&digits=6&issuer=Acme&period=30&secret=${secret}`,
    )
    expect(svg).toContain('<svg')
    const again = await auth.get('/user', { token })
    expect(again.body.factors).toEqual([
      {
        id: body.id,
        status: 'unverified',
        friendly_name: 'My app',
        factor_type: 'totp',
        phone: '',
        last_challenged_at: null,
        created_at: auth.clock.now().toISOString(),
        updated_at: auth.clock.now().toISOString(),
      },
    ])
    expect(again.text).not.toContain(secret)
  })

  it('stores the secret sealed', async () => {
    const { accessToken: token } = await auth.given.session()

    const { id, secret } = await factors.enrolledApp(token)

    const [row] = await auth.rows<{ secret: string }>(
      'select secret from auth.factors where id = $1',
      [id],
    )
    expect(row?.secret).toMatch(/^v2\./)
    expect(JSON.stringify(await auth.rows('select * from auth.factors'))).not.toContain(secret)
  })

  it('names the service by its site, and a user without an email by the phone', async () => {
    const phone = '4915700000001'
    await auth.auth.admin.createUser({ phone, phoneConfirm: true, password: 'correct horse' })
    const { session } = await auth.auth.api.signInWithPassword({ phone, password: 'correct horse' })

    const { body } = await factors.enroll(session.accessToken)

    expect(body.totp.uri).toContain(`otpauth://totp/app.example.test:${phone}?`)
  })

  it('returns a phone as submitted, and stores its digits', async () => {
    const { accessToken: token } = await auth.given.session()
    const phone = '+49 157 0000 0002'

    const { body } = await factors.enroll(token, { factor_type: 'phone', phone })

    expect(body).toEqual({ id: body.id, type: 'phone', friendly_name: '', phone })
    expect(await factorsIn(token)).toMatchObject([{ factor_type: 'phone', phone: '4915700000002' }])
  })

  it('enrolls the same phone again while it is unverified', async () => {
    const { accessToken: token } = await auth.given.session()
    const body = { factor_type: 'phone', phone: '+4915700000003', friendly_name: 'phone' }

    const first = await factors.enroll(token, body)
    const second = await factors.enroll(token, body)

    expect([first.status, second.status]).toEqual([200, 200])
    expect(await factorsIn(token)).toMatchObject([{ id: second.body.id }])
  })

  it.each([
    ['no type', {}, 400, 'validation_failed'],
    ['an unknown type', { factor_type: 'pigeon' }, 400, 'validation_failed'],
    ['a type that is no text', { factor_type: 5 }, 400, 'bad_json'],
    ['a security key', { factor_type: 'webauthn' }, 422, 'mfa_webauthn_enroll_not_enabled'],
    ['a phone without a number', { factor_type: 'phone' }, 400, 'validation_failed'],
    ['a phone that is none', { factor_type: 'phone', phone: 'x' }, 400, 'validation_failed'],
    ['a name beyond reason', named('x'.repeat(256)), 400, 'validation_failed'],
    [
      'an issuer that fits no picture',
      { factor_type: 'totp', issuer: 'ö'.repeat(40) },
      ...([400, 'validation_failed'] as const),
    ],
  ])('rejects %s', async (_what, body, status, code) => {
    const { accessToken: token } = await auth.given.session()

    expect(statusAndCode(await factors.enroll(token, body))).toEqual([status, code])
    expect(await factorsIn(token)).toBeUndefined()
  })

  it('draws the longest permitted URI', async () => {
    const email = `${'%'.repeat(251)}@a.b`
    const { accessToken: token } = await auth.given.session(email)

    const answer = await factors.enroll(token, { factor_type: 'totp', issuer: 'x'.repeat(200) })

    expect(answer.status).toBe(200)
  })

  it('rejects the name of another factor, and an empty one where another has none', async () => {
    const { accessToken: token } = await auth.given.session()
    const other = await auth.given.session()
    await factors.enroll(token, named('same'))
    await factors.enroll(token, named(''))

    const answers = [
      await factors.enroll(token, named('same')),
      await factors.enroll(token, { factor_type: 'totp' }),
      await factors.enroll(other.accessToken, named('same')),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'mfa_factor_name_conflict'],
      [422, 'mfa_factor_name_conflict'],
      [200, undefined],
    ])
  })

  it('rejects factors over the limit, also when enrolled concurrently', async () => {
    const { accessToken: token } = await auth.given.session()

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => factors.enroll(token, named(`app ${at}`))),
    )

    const codes = answers.map(({ status, body }) => body.error_code ?? status).toSorted()
    expect(codes).toEqual([
      200,
      200,
      200,
      ...Array.from({ length: 5 }, () => 'too_many_enrolled_mfa_factors'),
    ])
  })

  it('verifies no more factors than the limit, also if they were enrolled before', async () => {
    const limited = await startTestAuth({
      mfa: { maxVerifiedFactors: 1, phone: { enrollEnabled: true, verifyEnabled: true } },
      sms: { send: () => {} },
    })
    const kinds = secondFactors(limited)
    const { accessToken } = await limited.given.session()
    const [one, other] = [
      await kinds.enrolledApp(accessToken, 'one'),
      await kinds.enroll(accessToken, { factor_type: 'phone', phone: '+4915711111111' }),
    ]
    const strong = String((await kinds.prove(accessToken, one)).body.access_token)

    const challenged = await limited.post(
      `/factors/${other.body.id}/challenge`,
      {},
      { token: strong },
    )

    expect(statusAndCode(challenged)).toEqual([422, 'too_many_enrolled_mfa_factors'])
    await limited.close()
  })

  it('replaces old enrollments that were never challenged', async () => {
    const { accessToken: token } = await auth.given.session()
    const challenged = await factors.enrolledApp(token, 'challenged')
    await factors.challenge(token, challenged.id)
    await factors.enroll(token, named('forgotten'))
    auth.clock.advance(301)

    const again = [
      await factors.enroll(token, named('forgotten')),
      await factors.enroll(token, named('challenged')),
    ]

    expect(again.map(statusAndCode)).toEqual([
      [200, undefined],
      [422, 'mfa_factor_name_conflict'],
    ])
    expect(await factorsIn(token)).toHaveLength(2)
  })

  it('requires the factor of a user who has one', async () => {
    const { user, accessToken: strong } = await factors.aal2Session()
    const { session } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: 'correct horse',
    })

    const weakly = await factors.enroll(session.accessToken, named('second'))
    const strongly = await factors.enroll(strong, named('second'))

    expect([statusAndCode(weakly), statusAndCode(strongly)]).toEqual([
      [403, 'insufficient_aal'],
      [200, undefined],
    ])
  })

  it('needs a session', async () => {
    const user = await auth.given.user()
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated', role: 'authenticated' })

    expect(statusAndCode(await factors.enroll(token))).toEqual([403, 'session_not_found'])
  })

  it('is rejected for anonymous users', async () => {
    const { user, accessToken } = await auth.given.session()
    const { keys } = await auth.deps()
    const { claims } = await auth.auth.requireUser(
      { headers: { authorization: `Bearer ${accessToken}` } },
      { strict: false },
    )
    const token = await keys.sign({ ...claims, is_anonymous: true })

    expect(statusAndCode(await factors.enroll(token))).toEqual([403, 'no_authorization'])
    expect((await auth.auth.admin.getUser(user.id)).factors).toEqual([])
  })

  it('is rejected for a stored anonymous user, whose token does not state it', async () => {
    const { user, accessToken: token } = await auth.given.session()
    await auth.rows('update auth.users set is_anonymous = true where id = $1', [user.id])

    expect(statusAndCode(await factors.enroll(token))).toEqual([403, 'no_authorization'])
  })

  it('is recorded', async () => {
    const { user, accessToken: token } = await auth.given.session()
    const { id } = await factors.enrolledApp(token)

    const { entries } = await auth.auth.admin.listAudit({ query: 'action:factor_in_progress' })

    expect(entries.filter(({ actorId }) => actorId === user.id)).toMatchObject([
      { traits: { factor_id: id } },
    ])
  })
})

it('rejects disabled kinds', async () => {
  const restricted = await startTestAuth({ mfa: { totp: { enrollEnabled: false } } })
  const { accessToken: token } = await restricted.given.session()
  const enroll = (body: object) => restricted.post('/factors', body, { token })

  const answers = [
    await enroll({ factor_type: 'totp' }),
    await enroll({ factor_type: 'phone', phone: '+15551234567' }),
  ]

  expect(answers.map(statusAndCode)).toEqual([
    [422, 'mfa_totp_enroll_not_enabled'],
    [422, 'mfa_phone_enroll_not_enabled'],
  ])
  await restricted.close()
})
